// @ts-check
/** Ends a job for a reason other than an error of the code: `reason` is one of those of `SandboxFailure` (expressions/sandbox.ts). */
export class JobFailure extends Error {
  /** @param {string} reason @param {string} message */
  constructor(reason, message) {
    super(message)
    this.reason = reason
  }
}

/**
 * Returns the reason and the message of a failure of a source. `timeout` is in milliseconds, `memory` in bytes.
 * `thrown` is the text of something else than an error that the code threw. The message is the error of the step; run-records.ts
 * of the platform reads the number of the line at its end.
 * @param {unknown} error @param {{ timeout: number, memory: number, isLate: boolean, thrown?: string | undefined }} job
 */
export function describeFailure(error, { timeout, memory, isLate, thrown }) {
  if (isLate) return { reason: 'time', message: `The code ran for more than ${timeout / 1000} seconds.` }
  if (error instanceof JobFailure) return { reason: error.reason, message: error.message }
  const name = error instanceof Error ? error.name : 'Error'
  const message = error instanceof Error ? error.message : String(error)
  if (/out of memory/.test(message))
    return { reason: 'memory', message: `The code used more than ${memory / 1024 / 1024} MB of memory.` }
  if (error instanceof WebAssembly.RuntimeError || /stack overflow|call stack size/i.test(message))
    return { reason: 'code', message: 'RangeError: Maximum call stack size exceeded' }
  if (typeof thrown === 'string') return { reason: 'code', message: thrown.slice(0, 2000) }
  const [, line] = (error instanceof Error && /\bcode:(\d+)/.exec(error.stack ?? '')) || []
  const said = name === 'AggregateError' && message === '' ? 'All promises were rejected' : message
  const text = `${name}: ${said}`.slice(0, 2000)
  return { reason: 'code', message: `${text}${line ? ` (line ${line})` : ''}` }
}
