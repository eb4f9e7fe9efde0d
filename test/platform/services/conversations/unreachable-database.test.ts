import { expect, it } from 'vitest'
import { generateReply } from '../../../../src/platform/services/conversations/generate-reply.ts'
import type { Deps } from '../../../../src/platform/services/runtime/deps.ts'
import type { AssistantRow } from '../../../../src/platform/store/assistants/assistants.ts'
import { StoreError } from '../../../../src/platform/store/database/store-error.ts'

it('a reply without the database is not a model error, so that the message can be sent again', async () => {
  const connection = new Proxy({} as Deps['connection'], {
    get() {
      throw new StoreError('unreachable', 'The database cannot be reached.')
    },
  })
  const deps = { connection, clock: { now: async () => 0 }, providers: {}, log: () => {} } as unknown as Deps
  const assistant = { id: 1, account_id: 1, settings: '{}', knowledgebase_id: null } as unknown as AssistantRow
  const request = { assistant, conversation: undefined, variables: {}, text: 'Hello' }
  await expect(generateReply(deps, request)).rejects.toMatchObject({ reason: 'unreachable' })
})
