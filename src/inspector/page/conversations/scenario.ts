import { stringifyJson } from '../../../node/json.ts'
/** Message of a transcript, with the functions that were called for it. */
export interface ScenarioMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly function_calls?: readonly {
    readonly name: string
    readonly result: Readonly<Record<string, unknown>>
  }[]
}

/** JSON is valid YAML, whatever the text contains. */
const quoted = (value: unknown): string => stringifyJson(value)

/**
 * Returns a scenario for `parley assistants test` that repeats a transcript: what the customer wrote, the functions
 * that must be called, and their results as mocks. The form is that of scenario-schema.ts of the command line.
 */
export function scenarioText(
  transcript: readonly ScenarioMessage[],
  { assistant, name, channel }: { readonly assistant: string; readonly name: string; readonly channel: string },
): string {
  const mocks = new Map<string, string>()
  const turns: { say: string; called: string[] }[] = []
  for (const { role, content, function_calls = [] } of transcript) {
    if (role === 'user' && content.trim() !== '') turns.push({ say: content, called: [] })
    for (const call of function_calls) {
      mocks.set(call.name, quoted({ body: call.result }))
      turns.at(-1)?.called.push(call.name)
    }
  }
  const lines = [`assistant: ${quoted(assistant)}`, `name: ${quoted(name)}`]
  if (channel !== 'chat') lines.push(`channel: ${channel}`)
  if (mocks.size > 0) lines.push('mocks:', ...[...mocks].map(([tool, mock]) => `  ${quoted(tool)}: ${mock}`))
  lines.push('turns:')
  for (const { say, called } of turns) {
    lines.push(`  - say: ${quoted(say)}`)
    if (called.length > 0) lines.push(`    expect: ${quoted({ called: [...new Set(called)] })}`)
  }
  return `${lines.join('\n')}\n`
}
