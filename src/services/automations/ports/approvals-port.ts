import type { ApprovalsPort } from '../../../flow/pieces/ports.ts'
import { StepFailure } from '../../../flow/pieces/step-failure.ts'
import type { Deps } from '../../runtime/deps.ts'
import { createApprovalToken } from '../triggers/approval-token.ts'
import { approvalPath } from '../triggers/webhook-paths.ts'

/**
 * Creates the links that answer an approval. They have a token, because the caller of a webhook knows the id of its run,
 * and must not be able to approve it.
 */
export const approvalsPort = ({ vault, ownUrl }: Pick<Deps, 'vault' | 'ownUrl'>): ApprovalsPort => ({
  async createLinks(run) {
    const origin = ownUrl?.()
    if (origin === undefined) throw new StepFailure('Approval links need a server. Start one: parley server start.')
    const token = encodeURIComponent(createApprovalToken(vault, run))
    const link = (action: string): string => `${origin}${approvalPath(run)}?action=${action}&token=${token}`
    return { approvalLink: link('approve'), disapprovalLink: link('disapprove') }
  },
})
