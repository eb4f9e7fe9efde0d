import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { detectRows } from '../../../../src/cli/program/input/detect-rows.ts'
import type { System } from '../../../../src/cli/program/system.ts'
import { temporaryFolder } from '../../../support/databases.ts'

const object = { to: '+14155550111', message: 'Hi' }
const compact = JSON.stringify(object)
const pretty = JSON.stringify(object, null, 2)

/** Returns whether piped text holds rows, and what a command reads of it afterwards. */
async function ofPipe(pieces: readonly string[], flags: object = {}) {
  async function* read(): AsyncIterable<string> {
    yield* pieces
  }
  const system = { streams: { stdin: { isTTY: false, read } } } as never as System
  const { holdsRows, stdin } = await detectRows(system, { file: '-', ...flags })
  let text = ''
  for await (const chunk of stdin?.read() ?? []) text += chunk
  return { holdsRows, text }
}

describe('piped text', () => {
  test.each([
    ['one JSON object', compact, false],
    ['one JSON object in several lines', pretty, false],
    ['one JSON object after a byte order mark', `\ufeff${pretty}`, false],
    ['YAML fields', 'to: "+14155550111"\nmessage: Hi\n', false],
    ['YAML fields after a comment and a marker', '# Reminder\n---\n\nto: "+14155550111"\n', false],
    ['JSON that is broken', '{"to": \n', false],
    ['nothing', ' \n', false],
    ['JSON objects, one a line', `${compact}\n${compact}\n`, true],
    ['JSON objects, one a line, the last broken', `${compact}\n{"to"\n`, true],
    ['a JSON list', `[${compact}]`, true],
    ['a JSON list in several lines', ` [\n${pretty}\n]`, true],
    ['a YAML list', '- to: "+14155550111"\n', true],
    ['CSV', 'to,message\n+14155550111,Hi\n', true],
    ['a column of numbers', '+14155550111\n+14155550112\n', true],
  ])('with %s: holds rows is %3$s', async (_, text, holdsRows) => {
    expect(await ofPipe([text])).toEqual({ holdsRows, text })
  })

  test('holds rows with --format, whatever it is', async () => {
    expect(await ofPipe([compact], { format: 'ndjson' })).toEqual({ holdsRows: true, text: compact })
  })

  test('is read completely, however long', async () => {
    const pieces = Array.from({ length: 5 }, (_, n) => `${compact}\n`.repeat(500 + n))
    expect(await ofPipe(pieces)).toEqual({ holdsRows: true, text: pieces.join('') })
  })
})

describe('a file', () => {
  const folder = temporaryFolder()
  test.each([
    ['one.json', compact, false],
    ['pretty.json', pretty, false],
    ['list.json', `[${compact}]`, true],
    ['list-after-mark.JSON', `\ufeff \n[${compact}]`, true],
    ['fields.yaml', 'to: "+14155550111"\n', false],
    ['fields-with-list.yml', 'to:\n- "+14155550111"\n', false],
    ['list.yml', '# Rows\n--- \n- to: "+14155550111"\n', true],
    ['missing.json', undefined, false],
    ['rows.csv', 'to,message\n', true],
    ['rows.ndjson', compact, true],
    ['rows', compact, true],
  ])('%s: holds rows is %3$s', async (name, text, holdsRows) => {
    if (text !== undefined) writeFileSync(join(folder, name), text)
    const system = { cwd: folder } as never as System
    expect(await detectRows(system, { file: name })).toEqual({ holdsRows })
    expect(await detectRows(system, { file: name, format: 'json' })).toEqual({ holdsRows: true })
  })
})
