import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Command } from '../../../../src/cli/program/commandline/command.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

// Values that must survive: fields that only this deployment has, and the plus sign of a number.

/** What a deployment may have added to its records, of every type; some of it looks like something else. */
const mystery = {
  level: 3,
  rate: 0.5,
  on: true,
  none: null,
  digits: '007',
  text: 'true',
  caller: '+15005550006',
  list: [1, 'two', { three: 3 }],
}

/** Nouns whose records can be read and changed, with one of them and a field to change. */
const nouns: Readonly<Record<string, readonly [id: string, from: RegExp, to: string]>> = {
  tools: ['2', /timeout("?): 15/, 'timeout$1: 20'],
  assistants: ['1', /max_duration("?): \d+/, 'max_duration$1: 90'],
  'sip-trunks': ['1', /nickname("?): "?Reception"?/, 'nickname$1: "Desk"'],
  numbers: ['4', /nickname("?): "?Front desk"?/, 'nickname$1: "Desk"'],
  knowledge: ['1', /name("?): "?Practice handbook"?/, 'name$1: "Handbook"'],
}

const commands = new Map((await allCommands()).map(([words, command]): [string, Command] => [words, command]))
const [readable, changeable] = ['get', 'update'].map((verb) =>
  [...commands.keys()].flatMap((it) => (it.endsWith(` ${verb}`) ? [it.slice(0, -verb.length - 1)] : [])),
)

test('this test has every noun whose records are read and changed as a whole', () => {
  // An automation's definition is read by one name and sent by another: see the tests of pull and push. Documents and leads are changed by flags.
  const others = ['leads', 'automate', 'knowledge documents', 'campaigns', 'conversations', 'calls']
  expect(readable?.filter((it) => changeable?.includes(it) && !others.includes(it)).sort()).toEqual(
    Object.keys(nouns).sort(),
  )
})

/** A platform whose every record has a field of its own. */
const adding = (sent: unknown[]): RunOptions => ({
  async through(handle, request) {
    if (request.method !== 'GET') sent.push(JSON.parse(request.body ?? '{}'))
    const answer = await handle(request)
    if (request.method !== 'GET' || answer.status !== 200) return answer
    const body = JSON.parse(answer.body)
    if (Array.isArray(body.data)) body.data = body.data.map((it: object) => ({ ...it, mystery }))
    else if (body.data) body.data.mystery = mystery
    else body.mystery = mystery
    return { ...answer, body: JSON.stringify(body) }
  },
})

describe.each(Object.entries(nouns))('an unknown field of %s', (noun, [id, from, to]) => {
  test.each(['json', 'yaml'])('survives get -o %s, an edit and update --file', async (form) => {
    const by = operator()
    const sent: Record<string, unknown>[] = []
    const { stdout } = await by.run(`${noun} get ${id} -o ${form}`, adding(sent))
    expect(stdout).toMatch(from)
    const update = async (text: string): Promise<Record<string, unknown> | undefined> => {
      writeFileSync(join(by.cwd, 'record'), text)
      await by.run(`${noun} update ${id} --file record`, adding(sent))
      return sent.at(-1)
    }
    // An update changes only what it sends: unedited fields do not change, also where a strict platform would refuse them.
    expect(await update(stdout.replace(from, to))).not.toHaveProperty('mystery')
    expect(sent).toHaveLength(1)
    expect((await update(stdout.replace(/("?level"?: )3/, '$14')))?.mystery).toEqual({ ...mystery, level: 4 })
  })

  test.skipIf(!commands.get(`${noun} update`)?.flags?.some((it) => it.flags === '--edit'))(
    'is offered by --edit, and is sent only if it is edited',
    async () => {
      const by = operator()
      const sent: Record<string, unknown>[] = []
      const edited = (editor: (text: string) => string): RunOptions => ({
        ...adding(sent),
        env: { EDITOR: 'vi' },
        terminal: true,
        editor,
      })
      await by.run(
        `${noun} update ${id} --edit`,
        edited((text) => text.replace('level: 3', 'level: 4')),
      )
      expect(sent.at(-1)).toEqual({ mystery: { ...mystery, level: 4 } })
      const { exitCode, stderr } = await by.run(
        `${noun} update ${id} --edit`,
        edited((text) => text.replace(from, to)),
      )
      expect(exitCode, stderr).toBe(0)
      expect(Object.keys(sent.at(-1) ?? {})).toEqual([to.split(/\W/)[0]])
    },
  )
})

describe('a number with its plus sign', () => {
  const number = '+14155550123'
  const lead = { campaign_id: 1, phone_number: number, variables: { back: number, code: '0044207' } }
  const document = (by: Operator, text: string): string => {
    writeFileSync(join(by.cwd, 'lead'), text)
    return '--file lead'
  }
  const ways: Readonly<Record<string, (by: Operator) => string>> = {
    flags: () => `--campaign 1 --phone-number ${number} --var back=${number} --var code=0044207`,
    '--set': () =>
      `--set campaign_id=1 --set phone_number=${number} --set variables.back=${number} --set variables.code=0044207`,
    '--data of JSON': () => `--data '${JSON.stringify(lead)}'`,
    'YAML without quotes': (by) =>
      document(by, `campaign_id: 1\nphone_number: ${number}\nvariables:\n  back: ${number}\n  code: 0044207\n`),
    'a file of JSON': (by) => document(by, JSON.stringify(lead)),
  }

  test.each(Object.entries(ways))('is unchanged in %s', async (_, words) => {
    const by = operator()
    const shown = await by.json(`leads create ${words(by)} --dry-run`)
    expect(shown.body).toMatchObject(lead)
    const { data = {}, ...made } = await by.json(`leads create ${words(by)}`)
    expect({ ...data, ...made }).toMatchObject({ phone_number: number })
    expect(
      (await by.json(`leads list --fields phone_number,variables`)).map(
        (it: { phone_number: string }) => it.phone_number,
      ),
    ).toContain(number)
  })

  test('finds its resource in every place of a command line that accepts it', async () => {
    const by = operator()
    const numbers = (await by.json('numbers list')) as { phone_number: string; id: number }[]
    const { phone_number: own, id } = numbers.find((it) => it.phone_number.startsWith('+')) ?? {
      phone_number: '',
      id: 0,
    }
    for (const line of [`numbers update ${own} --nickname Lobby`, `numbers release ${own} --yes`]) {
      const shown = await by.json(`${line} --dry-run`)
      expect(shown.path, line).toBe(`/api/user/phone-numbers/${id}`)
    }
    const { requests } = await by.run(`messaging session --sender 1 --to ${number}`)
    expect(requests.join()).toContain(encodeURIComponent(number))
  })

  test('is unchanged in every output format', async () => {
    const by = operator()
    const numbers = (await by.json('numbers list')).map((it: { phone_number: string }) => it.phone_number)
    for (const form of ['tsv', 'table', 'ndjson', 'yaml']) {
      const { stdout } = await by.run(`numbers list -o ${form}`)
      for (const number of numbers) expect(stdout).toContain(number)
    }
  })
})
