import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { findCommand } from '../../../../src/cli/program/commandline/find-command.ts'
import { formats } from '../../../../src/cli/program/output/format.ts'
import { describeCommands } from '../../../../src/cli/reference/command-reference/command-descriptions.ts'
import type { Run } from '../../../support/operator.ts'
import { elsewhere, lines, linesOf, runsOf, stable, untyped } from './command-lines.ts'
import { drawing, moving, surroundingsOf } from './terminal-settings.ts'

/** Requests of a run, sorted. A space in a query is a plus or %20: both are the same request. */
const sortedRequests = ({ requests }: Pick<Run, 'requests'>): string[] =>
  requests.map((it) => it.replaceAll('+', '%20')).sort()

/** Tests every form of the lines of one part out of `parts`; a part is a file, so that parts can run beside each other. */
export function testEveryForm(part: number, parts: number): void {
  describe.each(lines.filter((_, n) => n % parts === part))('parley $line', (row) => {
    const { perform, performInPublic } = runsOf(row)

    test('prints the same data in json, yaml and ndjson', async () => {
      const json = await perform('-o json')
      expect(json).toMatchObject({ exitCode: 0 })
      const data: unknown = JSON.parse(stable(json.stdout))
      expect(Array.isArray(data)).toBe(row.prints === 'list')
      expect(parseYaml(stable((await perform('-o yaml')).stdout))).toEqual(data)
      const ndjson = linesOf(stable((await perform('-o ndjson')).stdout)).map((line) => JSON.parse(line))
      // The progress and the result are in this line only.
      const items =
        row.isSpoken && row.prints === 'list'
          ? ndjson.filter(({ type }) => type === 'item')
          : row.tellsEvents
            ? ndjson.slice(-1).map(untyped)
            : ndjson
      expect(items).toEqual(row.prints === 'list' ? data : [data])
    })

    test('prints what "parley commands" describes', async () => {
      const { path } = findCommand(row.line.split(' '))
      const [described] = await describeCommands(path)
      expect(described?.output_schema, path.join(' ')).not.toBeNull()
      const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(described?.output_schema as object)
      isValid(JSON.parse((await perform('-o json')).stdout))
      expect(isValid.errors ?? []).toEqual([])
    })

    test('prints rows of equal length in tsv and in a piped table', async () => {
      for (const format of row.prints === 'list' && !row.isSpoken && !row.isDocument ? ['tsv', 'table'] : ['tsv']) {
        const ran = await perform(`-o ${format}`)
        expect(ran.exitCode).toBe(0)
        const rows = linesOf(ran.stdout).map((line) => line.split('\t').length)
        expect(new Set(rows).size, ran.stdout).toBeLessThanOrEqual(1)
        expect(linesOf(stable((await perform(`-o ${format} --no-header`)).stdout))).toEqual(
          linesOf(stable(ran.stdout)).slice(1),
        )
      }
    })

    test.skipIf(elsewhere.test(row.line))(
      'prints the same for a platform with the public vocabulary, over a socket',
      async () => {
        const [neutral, others] = await Promise.all([perform('-o json'), performInPublic()])
        const shown = ({ exitCode, stdout, stderr }: Run) => ({
          exitCode,
          stdout: stable(stdout),
          stderr: stable(stderr),
        })
        expect(shown(others)).toEqual(shown(neutral))
        // And it was the other one that answered, where a platform is asked at all.
        // Which of those made at the same time comes first is chance.
        expect(sortedRequests(others)).toEqual(sortedRequests(neutral))
      },
    )

    test('prints one word for each item with -o id', async () => {
      const ran = await perform('-o id')
      expect(ran).toMatchObject({ exitCode: 0 })
      for (const line of linesOf(ran.stdout)) expect(line).toMatch(/^[^\t{[]+$/)
      const data = JSON.parse((await perform('-o json')).stdout)
      // Where no server runs there is no address to print.
      if (row.line !== 'server status') expect(linesOf(ran.stdout)).toHaveLength(Array.isArray(data) ? data.length : 1)
    })

    test('prints no data on stderr, and no color or boxes when piped', async () => {
      for (const format of formats) {
        const ran = await perform(`-o ${format}`)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
        expect(ran.stdout + ran.stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f]|[│─┌]/)
        for (const line of linesOf(ran.stderr)) expect(line, format).not.toMatch(/^[{["]|\t|^\d+$/)
      }
      for (const format of ['table', 'json']) {
        const quiet = await perform(`-o ${format} --quiet`)
        expect(quiet.stderr).toBe('')
        expect(stable(quiet.stdout)).toBe(stable((await perform(`-o ${format}`)).stdout))
      }
    })

    test('prints the same in every environment', async () => {
      for (const { name, options, format } of surroundingsOf(lines.indexOf(row))) {
        const [usual, ran] = [await perform(`-o ${format}`), await perform(`-o ${format}`, name)]
        expect({ name, format, exitCode: ran.exitCode, asked: ran.asked }, ran.stderr).toEqual({
          name,
          format,
          exitCode: 0,
          asked: [],
        })
        if (format !== 'table' || !options.terminal)
          expect(stable(ran.stdout), `${format} ${name}`).toBe(stable(usual.stdout))
        expect(ran.stdout + ran.stderr, `${format} ${name}`).not.toMatch(
          /NO_COLOR|dumb/.test(name) || format !== 'table' ? drawing : moving,
        )
        for (const line of linesOf(ran.stderr)) expect(line, name).not.toMatch(/^[{["]|\t|^\d+$/)
      }
    })
  })
}
