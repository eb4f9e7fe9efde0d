import type { TurnEvent } from '../../../contract/control/turns.ts'
import type { Answer } from './exchange.ts'
import type { SlashResult } from './slash-commands.ts'

/** A message and its reply in machine output. */
export interface Item {
  readonly type: 'item'
  readonly conversation_id: string
  readonly message: string
  readonly reply: string
  readonly function_calls: readonly { readonly name: string; readonly arguments: object; readonly result: object }[]
}

type Progress = { readonly type: 'progress'; readonly conversation_id: string } & (
  | { readonly event: 'text'; readonly text: string }
  | { readonly event: 'function'; readonly name: string; readonly arguments: object; readonly result: object }
  | { readonly event: 'end'; readonly text: string }
  | SlashResult
)

/** A line of `-o ndjson`. */
export type ChatEvent =
  | Item
  | Progress
  | { readonly type: 'result'; readonly conversation_id: string; readonly exchanges: number }

/**
 * Waits for a response and yields its events in order: function calls, and with `streams` also text. Function calls
 * without an event are yielded when the response arrives.
 */
export async function* streamExchange(
  uuid: string,
  streams: boolean,
  begin: (onEvent: (event: TurnEvent) => Promise<void>) => Promise<Answer>,
): AsyncGenerator<Progress, Answer> {
  const waiting: TurnEvent[] = []
  let wake = (): void => {}
  let isOver = false
  const toProgress = ({ type, ...rest }: TurnEvent): Progress =>
    ({ type: 'progress', conversation_id: uuid, event: type, ...rest }) as Progress
  const sending = begin(async (event) => {
    waiting.push(event)
    wake()
  })
  const ended = sending.then(
    () => undefined,
    () => undefined,
  )
  void ended.then(() => {
    isOver = true
  })
  let reportedFunctions = 0
  while (!isOver || waiting.length > 0) {
    for (const event of waiting.splice(0)) {
      if (event.type === 'function') reportedFunctions++
      if (event.type === 'function' || streams) yield toProgress(event)
    }
    if (!isOver && waiting.length === 0) await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))])
  }
  const answer = await sending
  for (const run of answer.function_calls.slice(reportedFunctions)) yield toProgress({ type: 'function', ...run })
  return answer
}
