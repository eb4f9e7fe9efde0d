import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { stringifyJson } from '../../../node/json.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { System } from '../../program/system.ts'
import type { Answer } from './exchange.ts'

/** A transcript that is written immediately, so that nothing is lost if the chat is interrupted. */
export interface TranscriptFile {
  message(text: string): void
  answer(answer: Answer): void
  note(text: string): void
}

/** Indents all lines except the first. */
const indentLines = (text: string): string => text.replaceAll('\n', '\n  ')

/**
 * Creates a transcript that appends to a file with mode 0600: plain text, or one JSON object per line for `.ndjson`.
 * @throws ClientFailure `usage` if the file cannot be written
 */
export function transcriptFile(system: Pick<System, 'cwd' | 'now'>, path: string, uuid: string): TranscriptFile {
  const file = resolve(system.cwd, path)
  const asJson = /\.(ndjson|jsonl)$/i.test(path)
  const at = (): string => new Date(system.now()).toISOString()
  const add = (text: string): void => {
    try {
      appendFileSync(file, `${text}\n`, { mode: 0o600 })
    } catch (error) {
      throw usageError(`Cannot write the transcript to ${path}: ${(error as Error).message}.`)
    }
  }
  const entry = (role: string, content: string, more: object = {}): void => {
    if (asJson) return add(stringifyJson({ at: at(), conversation_id: uuid, role, content, ...more }))
    add(`${{ user: 'Customer', assistant: 'Assistant' }[role] ?? role}: ${indentLines(content)}`)
  }
  if (!asJson) add(`# Conversation ${uuid}, ${at()}`)
  return {
    message: (text) => entry('user', text),
    answer({ message, function_calls }) {
      if (asJson) return entry('assistant', message, { function_calls })
      for (const { name, arguments: args, result } of function_calls)
        add(`  ran ${name} ${stringifyJson(args)}: ${stringifyJson(result)}`)
      if (message !== '') entry('assistant', message)
    },
    note: (text) =>
      asJson ? add(stringifyJson({ at: at(), conversation_id: uuid, error: text })) : add(`! ${indentLines(text)}`),
  }
}
