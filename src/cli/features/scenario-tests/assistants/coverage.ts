import { functionNames } from '../../../../contract/assistants/function-names.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import type { ProjectFiles } from './project-files.ts'
import type { CheckedScenario } from './run-suite.ts'

/**
 * Something that a scenario should touch. Scripts read it as a row of `assistants test --coverage`: fields and kinds stay as
 * src/cli/reference/command-reference/test-schemas.ts declares them.
 */
export interface CoverageItem {
  readonly kind: 'tool' | 'function' | 'prompt_section' | 'automation'
  /** Null for automations. */
  readonly assistant: string | null
  readonly name: string
  readonly covered: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** Functions of built-in tools in chats, by the type of the tool. The name of a transfer starts with it. */
const functionsOf: Readonly<Record<string, string>> = {
  end_call: functionNames.end,
  assistant_transfer: functionNames.transfer,
  calendar_integration: functionNames.calendar,
}

/** Maximum characters of the name of a section. */
const maxNameLength = 60

/** Returns the heading of a section, or its first words. */
function sectionName(text: string): string {
  const line = (text.split('\n', 1)[0] ?? '').replace(/^#+ /, '')
  return line.length <= maxNameLength ? line : `${line.slice(0, maxNameLength).replace(/\s+\S*$/, '')}…`
}

/** Returns the sections of a prompt: those of its headings, or its paragraphs. */
function promptSections(prompt: string): { readonly name: string; readonly text: string }[] {
  const parts = /^#+ /m.test(prompt) ? prompt.split(/^(?=#+ )/m) : prompt.split(/\n\s*\n/)
  return parts
    .map((it) => it.trim())
    .filter((it) => it !== '')
    .map((text) => ({ name: sectionName(text), text }))
}

const stems = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/\p{L}{5,}/gu) ?? []).map((it) => it.replace(/(ing|ed|es|s)$/, '').slice(0, 6)))

/**
 * Returns whether a conversation is about a section: they share at least two meaningful words, or all it has. It only guesses what
 * a report shows, and decides neither the verdict of a scenario nor the exit code.
 */
function isAbout(conversation: ReadonlySet<string>, text: string): boolean {
  const words = stems(text)
  const shared = [...words].filter((it) => conversation.has(it)).length
  return words.size === 0 || shared >= Math.min(2, words.size)
}

/** Returns which tools, functions and prompt sections of the assistants, and which automations, the scenarios touched. */
export function measureCoverage(
  { assistants, automations }: ProjectFiles,
  checked: readonly CheckedScenario[],
): CoverageItem[] {
  const items: CoverageItem[] = []
  for (const assistant of assistants) {
    const name = String(assistant.name)
    const exchanges = checked
      .filter((it) => it.scenario.assistant === name)
      .flatMap((it) => it.runs.flatMap((run) => run.exchanges))
    const called = new Set(exchanges.flatMap((it) => it.calls.map((one) => one.name)))
    const said = stems(
      exchanges.map((it) => `${it.say}\n${it.reply}\n${it.calls.map((one) => one.name).join(' ')}`).join('\n'),
    )
    const add = (kind: CoverageItem['kind'], what: string, covered: boolean): void =>
      void items.push({ kind, assistant: name, name: what, covered })
    for (const tool of (assistant.tool_ids as unknown[] | undefined) ?? [])
      add('tool', String(tool), called.has(String(tool)))
    for (const tool of ((assistant.tools as unknown[] | undefined) ?? []).filter(isObject) as Fields[]) {
      const known = functionsOf[String(tool.type)]
      if (known !== undefined)
        add(
          'function',
          String(tool.type),
          [...called].some((it) => it.startsWith(known) || it.includes(known)),
        )
    }
    for (const section of promptSections(String(assistant.system_prompt ?? '')))
      add('prompt_section', section.name, isAbout(said, section.text))
  }
  const started = new Set(checked.flatMap((it) => it.runs.flatMap((run) => run.automations)))
  for (const automation of automations)
    items.push({
      kind: 'automation',
      assistant: null,
      name: String(automation.name),
      covered: started.has(String(automation.name)),
    })
  return items
}
