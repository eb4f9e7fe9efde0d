import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'

// A folder of files that was pulled, and what tests do to it.

export const path = (by: Operator, file: string): string => join(by.cwd, 'parley', file)
export const read = (by: Operator, file: string): string => readFileSync(path(by, file), 'utf8')
export const write = (by: Operator, file: string, text: string): void => {
  mkdirSync(join(path(by, file), '..'), { recursive: true })
  writeFileSync(path(by, file), text)
}
export const change = (by: Operator, file: string, from: string | RegExp, to: string): void => {
  expect(read(by, file)).toMatch(from)
  write(by, file, read(by, file).replace(from, to))
}
export const writes = (requests: readonly string[]): string[] => requests.filter((it) => !it.startsWith('GET'))
export const desk = 'assistants/front-desk.yaml'
export const book = 'tools/book-appointment.yaml'

export async function pulled(): Promise<Operator> {
  const by = operator()
  expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
  return by
}

/** Every file below the folder with what it holds, without the schemas for editors. */
export const all = (by: Operator): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path(by, ''), { recursive: true, encoding: 'utf8' })
      .filter((it) => !it.startsWith('.schema') && statSync(path(by, it)).isFile())
      .map((it) => [it, read(by, it)]),
  )

export const tool = (name: string, more = ''): string =>
  `name: ${name}\ndescription: Some tool.\nendpoint: https://x.example\nmethod: GET\n${more}`
export const assistant = (name: string, more = ''): string =>
  `name: ${name}\nvoice_id: Amelia\nlanguage_id: English\ntype: inbound\nmode: pipeline\nllm_model_id: Balanced\ntimezone: UTC\ninitial_message: Hello\nsystem_prompt: Help.\n${more}`
/** Returns whether a file is of a kind that every folder has. */
export const isUsual = (file: string): boolean => /^(?:assistants|automations|tools|parley)/.test(file)
