import { type JqAnswer, type JqThread, startJq, summarizeJqProblem } from '../../node/jq-thread.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { realTime } from '../../node/real-time.ts'
import { StepFailure } from './step-failure.ts'

/** A filter that takes longer is stopped. */
const queryTimeoutMs = 5000
/** Milliseconds for which a thread without work waits for the next step. */
const keepMs = 5000

let idle: { readonly thread: JqThread; readonly timer: NodeJS.Timeout } | undefined

function takeThread(): Promise<JqThread> | JqThread {
  const thread = idle?.thread
  realTime.clearTimeout(idle?.timer)
  idle = undefined
  return thread ?? startJq()
}

function keepThread(thread: JqThread): void {
  if (idle) return thread.stop()
  const timer = realTime.setTimeout(() => {
    idle = undefined
    thread.stop()
  }, keepMs)
  timer.unref()
  idle = { thread, timer }
}

/**
 * Returns the result of a jq filter: null for none, a list for several.
 * @throws StepFailure for an invalid filter, and for one that takes longer than 5 s
 */
export async function queryJson(json: unknown, query: string): Promise<unknown> {
  const thread = await takeThread()
  let isStopped = false
  const timer = realTime.setTimeout(() => {
    isStopped = true
    thread.stop()
  }, queryTimeoutMs)
  let answer: JqAnswer
  try {
    answer = await thread.run(stringifyJson(json), query, ['-c'])
  } finally {
    realTime.clearTimeout(timer)
  }
  if (isStopped) throw new StepFailure(`query took longer than ${queryTimeoutMs / 1000} s. Use a simpler jq filter.`)
  const { text = '', problem } = answer
  // A thread that ran out of memory is not used again.
  if (problem?.startsWith('Aborted')) thread.stop()
  else keepThread(thread)
  if (problem !== undefined) throw new StepFailure(`query failed in jq: ${summarizeJqProblem(problem)}.`)
  const results = text.split('\n').filter((line) => line !== '')
  const values = results.map((line): unknown => parseJson(line))
  return values.length > 1 ? values : (values[0] ?? null)
}
