import { stringifyJson } from '../../../node/json.ts'
import type { Query } from '../../store/database/connection.ts'
import type { CallScript } from './call-script.ts'

/** Queues the script of the next call to a number, after those queued before. */
export async function queueCallScript(query: Query, callee: string, script: CallScript): Promise<void> {
  await query
    .insertInto('local_script')
    .values({ callee, script: stringifyJson(script) })
    .execute()
}
