import type { ApprovalsPort } from '../../../flow/pieces/ports.ts'
import { StepFailure } from '../../../flow/pieces/step-failure.ts'
import type { Deps } from '../../runtime/deps.ts'
import { VaultError } from '../../runtime/vault.ts'
import { approvalPath } from '../triggers/webhook-service.ts'

const label = (run: string): string => `approval ${run}`

/**
 * Creates the links that answer an approval. They have a token, because the caller of a webhook knows the id of its run,
 * and must not be able to approve it.
 */
export const approvalsPort = ({ vault, ownUrl }: Pick<Deps, 'vault' | 'ownUrl'>): ApprovalsPort => ({
  async createLinks(run) {
    const origin = ownUrl?.()
    if (origin === undefined)
      throw new StepFailure('Approval links need a server. Start one: parley server start.', { retriable: true })
    const token = encodeURIComponent(vault.seal(run, label(run)))
    const link = (action: string): string => `${origin}${approvalPath(run)}?action=${action}&token=${token}`
    return { approvalLink: link('approve'), disapprovalLink: link('disapprove') }
  },
})

/** Returns whether a token of an approval link is for this run. @throws VaultError if the encryption key is unusable */
export function isApprovalToken(vault: Deps['vault'], run: string, token: string): boolean {
  try {
    return vault.open(token, label(run)) === run
  } catch (error) {
    if (error instanceof VaultError || error instanceof SyntaxError || error instanceof RangeError) return false
    throw error
  }
}
