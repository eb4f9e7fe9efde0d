import type { AccountRow } from '../../store/accounts/accounts.ts'
import {
  type ConversationRow,
  findAnyConversation,
  findConversation,
  findConversationOwner,
} from '../../store/conversations/conversations.ts'
import { findById } from '../runtime/account-ids.ts'
import type { Deps } from '../runtime/deps.ts'

// A UUID carries its account unless an earlier version or loaded data created it: `own` reads one account, `any` all (account-ids.ts).

type Reading = Pick<Deps, 'connection' | 'accountIds'>

/** Returns a conversation by its UUID alone, which is the credential of a chat (sections 4.8, 4.9). */
export const findConversationByUuid = (deps: Reading, uuid: string): Promise<ConversationRow | undefined> =>
  findById(deps, uuid, {
    own: (query) => findConversation(query, uuid),
    any: (query) => findAnyConversation(query, uuid),
  })

/** Returns the account that owns a conversation. */
export const findOwnerByUuid = (deps: Reading, uuid: string): Promise<AccountRow | undefined> =>
  findById(deps, uuid, {
    own: (query) => findConversationOwner(query, uuid),
    any: (query) => findConversationOwner(query, uuid),
  })
