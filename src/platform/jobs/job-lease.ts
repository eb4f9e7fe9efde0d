import type { Connection } from '../store/database/connection.ts'
import { type JobRow, lockAttempts } from '../store/runtime/scheduled-jobs.ts'

/** Error when another process has taken over a job, or ended it. Its transactions are not saved any more. */
export class LeaseLostError extends Error {
  constructor({ kind, subject }: Pick<JobRow, 'kind' | 'subject'>) {
    super(`The lease of ${kind} ${subject} was lost: another process has taken over the job or ended it.`)
    this.name = 'LeaseLostError'
  }
}

/**
 * Returns a connection for the handler of a leased job. Its transactions first check that no other server has leased the
 * job since: a server that was stopped for a while must not save the results of work that another one has repeated.
 * Every lease increments the attempts of the job. A database file needs no check, because its processes see who is
 * alive.
 */
export function fencedConnection(connection: Connection, row: JobRow): Connection {
  if (connection.dialect === 'sqlite') return connection
  /** Whether a transaction of this job has deleted its row. */
  let isDone = false
  return {
    ...connection,
    async write(scope, body) {
      const written = await connection.write(scope, async (query) => {
        const attempts = await lockAttempts(query, row.id)
        if (attempts === undefined ? !isDone : attempts > row.attempts + 1) throw new LeaseLostError(row)
        const value = await body(query)
        return { value, isDone: isDone || (await lockAttempts(query, row.id)) === undefined }
      })
      isDone = written.isDone
      return written.value
    },
  }
}
