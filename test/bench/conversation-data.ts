import { conversationList } from '../../src/platform/store/counters/counted-lists.ts'
import type { SqliteDatabase } from '../../src/platform/store/sqlite/libsql-driver.ts'
import type { Filling } from './cached-data.ts'
import { days, drawn, lastDay } from './lead-data.ts'

const day = 86_400_000_000
const types = ['widget', 'widget', 'widget', 'messaging', 'messaging', 'test', 'api']
/** Assistants of the sample data that have conversations. */
export const assistants = [1, 2] as const

/** Conversations of two assistants of account 1 over the same days as the leads. */
export const conversationFilling: Filling = {
  tables: ['conversation'],
  lists: [conversationList],
  fill(database: SqliteDatabase, rows) {
    const conversation = database.prepare(
      `insert into conversation (account_id, uuid, assistant_id, type, status, variables, message_count, total_cost, ai_enabled, created_at, updated_at)
        values (1, ?, ?, ?, 'closed', '{"first_name":"Anna"}', 6, 30000, 1, ?, ?)`,
    )
    for (let n = 0; n < rows; n++) {
      const at = BigInt((lastDay - days + 1 + Math.floor((n / rows) * days)) * day + drawn(n, 1000) * 60_000_000)
      const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
      conversation.run([
        uuid,
        BigInt(assistants[drawn(n + 1, assistants.length)] as number),
        types[drawn(n + 2, types.length)] as string,
        at,
        at,
      ])
    }
  },
}
