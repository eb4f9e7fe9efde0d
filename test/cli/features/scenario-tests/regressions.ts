import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Operator } from '../../../support/operator.ts'
import { sampleProject, sampleScenarios } from './project.ts'

const switchboard = `name: Switchboard
voice_id: Amelia
language_id: English
type: inbound
mode: pipeline
timezone: UTC
initial_message: Hello
system_prompt: You connect callers.
llm_model_id: Balanced
tools:
  - type: assistant_transfer
    assistant_id: Recall
    description: When the caller asks for recall
    speak_transfer_greeting: true
`

/** The sample assistants, one that transfers conversations, and their scenarios. */
export async function testedProject(): Promise<Operator> {
  const by = await sampleProject(sampleScenarios(true), { lasts: 'file' })
  writeFileSync(join(by.cwd, 'parley', 'assistants', 'switchboard.yaml'), switchboard)
  return by
}

type Regression = readonly [what: string, file: string, from: string | RegExp, to: string]

const desk = 'assistants/front-desk.yaml'
const book = 'tools/book-appointment.yaml'
const quote = 'tools/quote-treatment.yaml'
const connect = 'assistants/switchboard.yaml'

/** Mistakes in files as people make them, in tools, variables and hand-over. */
export const regressions: readonly Regression[] = [
  ['a tool is no longer among those of the assistant', desk, '  - book_appointment\n', ''],
  ['the search for patients is removed', desk, '  - lookup_patient\n', ''],
  ['the tool for prices is removed', desk, '  - quote_treatment\n', ''],
  ['a tool has another name', book, 'name: book_appointment', 'name: book_visit'],
  ['a parameter has another name', book, 'name: day', 'name: date'],
  ['a parameter is removed', book, / {2}- name: time\n( {4}.*\n)+?(?= {2}- name)/, ''],
  ['a parameter is optional', book, /(name: day\n(?:.*\n){2} {4}required: )true/, '$1false'],
  ['a parameter has another type', book, /(name: day\n {4}type: )string/, '$1boolean'],
  ['the parameter of the URL has another name', quote, 'name: treatment', 'name: name'],
  ['a text is a number', quote, 'type: string', 'type: number'],
  ['the URL has another parameter', quote, '{treatment}', '{kind}'],
  ['a description says nothing', 'tools/lookup-patient.yaml', /description: .*/, 'description: Internal.'],
  [
    'the assistant for check-ups has no tools',
    'assistants/recall.yaml',
    '  - reschedule_visit\n',
    '  - quote_treatment\n',
  ],
  ['the assistant cannot end a call', desk, '  - type: end_call\n', ''],
  ['a variable has another name', desk, 'name: reason', 'name: cause'],
  ['a variable has another type', desk, /(name: reason\n {4}type: )string/, '$1number'],
  ['calls are not evaluated', desk, 'post_call_evaluation: true', 'post_call_evaluation: false'],
  ['the handbook is removed', desk, 'knowledgebase_id: Practice handbook\n', ''],
  ['conversations are not handed over', connect, /tools:\n(?:.|\n)*/, 'tools: []\n'],
  ['conversations are handed over to the wrong assistant', connect, 'assistant_id: Recall', 'assistant_id: Front desk'],
  ['the new assistant does not greet', connect, 'speak_transfer_greeting: true', 'speak_transfer_greeting: false'],
]

/** Makes a mistake, expects that a scenario fails, and takes it back. */
export async function expectCaught(by: Operator, [what, file, from, to]: Regression, flags = ''): Promise<void> {
  const path = join(by.cwd, 'parley', file)
  const text = readFileSync(path, 'utf8')
  const changed = text.replace(from, to)
  expect(changed, what).not.toBe(text)
  writeFileSync(path, changed)
  try {
    const { exitCode, stdout, stderr } = await by.run(`assistants test --json ${flags}`)
    expect(exitCode, `${what}\n${stderr}`).toBe(20)
    expect(
      JSON.parse(stdout).filter((it: { verdict: string }) => it.verdict === 'failed').length,
      what,
    ).toBeGreaterThan(0)
  } finally {
    writeFileSync(path, text)
  }
}
