import { isObject } from '../../../../contract/values/json-object.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'

/** A response of a model in the chat-completions protocol. */
export interface RecordedCompletion {
  readonly content: string
  readonly tool_calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
}

type Fields = Readonly<Record<string, unknown>>
const fields = (it: unknown): Fields => (isObject(it) ? it : {})
const text = (it: unknown): string => (typeof it === 'string' ? it : '')

/** Reads a response, streamed or whole. @throws Error for anything else */
export function readCompletion(body: string, isStream: boolean): RecordedCompletion {
  const parts = isStream
    ? body
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith('data:') && !/^data:\s*\[DONE\]/.test(line) ? [line.slice(5)] : []))
    : [body]
  let content = ''
  const calls = new Map<number, { id: string; name: string; arguments: string }>()
  for (const part of parts) {
    const event = fields(parseJson(part))
    const [first] = Array.isArray(event.choices) ? event.choices : []
    const delta = fields(fields(first).delta ?? fields(first).message)
    content += text(delta.content)
    for (const [n, it] of (Array.isArray(delta.tool_calls) ? delta.tool_calls : []).entries()) {
      const { index = n, id, function: called } = fields(it)
      const known = calls.get(Number(index)) ?? { id: '', name: '', arguments: '' }
      const given = fields(called)
      calls.set(Number(index), {
        id: text(id) || known.id,
        name: text(given.name) || known.name,
        arguments:
          known.arguments +
          (typeof given.arguments === 'object' ? stringifyJson(given.arguments) : text(given.arguments)),
      })
    }
  }
  return {
    content,
    tool_calls: [...calls].sort(([a], [b]) => a - b).map(([n, it]) => ({ ...it, id: it.id || `call_${n}` })),
  }
}

/** Returns a whole response with this content. */
export const toCompletionBody = ({ content, tool_calls }: RecordedCompletion): string =>
  stringifyJson({
    choices: [
      {
        index: 0,
        finish_reason: tool_calls.length > 0 ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content,
          ...(tool_calls.length > 0 && {
            tool_calls: tool_calls.map(({ id, name, arguments: args }) => ({
              id,
              type: 'function',
              function: { name, arguments: args },
            })),
          }),
        },
      },
    ],
  })
