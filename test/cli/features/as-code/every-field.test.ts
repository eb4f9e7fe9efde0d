import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { fileKinds, loadFileKind } from '../../../../src/cli/features/as-code/project-layout.ts'
import type { SampleData, SampleListName } from '../../../../src/contract/control/sample-data.ts'
import { parseYaml } from '../../../../src/node/parse-yaml.ts'
import { everyField, type Fields, recordsWith } from '../../../support/every-field.ts'
import { twoPlatforms } from './promotion/two-platforms.ts'

/** Fields of a request or of a file that a pull does not write, and why. */
const notPulled: Readonly<Record<string, string>> = {
  'automations.sample': 'for the test run before it is published',
  'automations.confirm_side_effects': 'for the test run before it is published',
  'automations.trigger': 'a person may write it instead of flow',
  'automations.steps': 'a person may write them instead of flow',
  'automations.enabled': 'a push neither enables nor disables an automation',
  'sip-trunks.sip_trunk_type': 'follows from the number',
}

/** What a push cannot create: numbers, senders and connections. Only their least fields are there. */
function withoutFields({ version, accounts: [account] }: SampleData): SampleData {
  const least = (list: SampleListName, names: readonly string[]): readonly Fields[] =>
    ((account?.[list] ?? []) as readonly Fields[]).map((record) =>
      Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]])),
    )
  return {
    version,
    accounts: [
      {
        name: 'Other',
        kind: 'direct',
        connections: least('connections', ['kind', 'name']),
        numbers: least('numbers', ['phone_number', 'type', 'country_code']),
        senders: least('senders', ['phone_number', 'display_name', 'templates']),
      },
    ],
  }
}

test('every field of a file survives a pull and a push to another platform', async () => {
  const data = recordsWith(everyField())
  const { by, run } = await twoPlatforms(withoutFields(data), undefined, data)
  const files = (folder: string): Promise<ReadonlyMap<string, Fields>> => readFiles(join(by.cwd, folder))
  const pull = await run('--profile staging pull first')
  expect(pull, pull.stderr).toMatchObject({ exitCode: 0 })
  const first = await files('first')
  rmSync(join(by.cwd, 'first/parley.lock.json'))
  // The platform does not return what a document is read from.
  for (const path of [...first.keys()].filter((it) => it.startsWith('knowledge/'))) {
    const file = join(by.cwd, 'first', path)
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('type: website', 'type: website\n    url: https://x.example'),
    )
  }
  const secrets = [...JSON.stringify([...first.values()]).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [
    name,
    'very-secret',
  ])
  const push = await run('--profile production push first --yes --force-local', { env: Object.fromEntries(secrets) })
  expect(push, push.stdout + push.stderr).toMatchObject({ exitCode: 0 })
  expect(await run('--profile production pull second')).toMatchObject({ exitCode: 0 })
  const second = await files('second')
  for (const [path, content] of first) expect([path, second.get(path)]).toEqual([path, content])
  expect(second.size).toBe(first.size)

  for (const kind of fileKinds) {
    const { documentSchema, endpoints } = await loadFileKind(kind)
    const present = new Set(
      [...first].flatMap(([path, content]) => (path.startsWith(`${kind}/`) ? Object.keys(content) : [])),
    )
    const bodies = [endpoints?.create?.body, endpoints?.update?.body].flatMap((it) => fieldNames(it))
    const missing = [...new Set([...fieldNames(documentSchema), ...bodies])].filter(
      (it) => !present.has(it) && !present.has(`${it}_file`) && notPulled[`${kind}.${it}`] === undefined,
    )
    expect([kind, missing]).toEqual([kind, []])
  }
})

const fieldNames = (schema: z.ZodType | undefined): string[] =>
  Object.keys((schema as z.ZodObject | undefined)?.shape ?? {})

async function readFiles(folder: string): Promise<ReadonlyMap<string, Fields>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((it) => it.endsWith('.yaml'))
  const files = new Map<string, Fields>()
  for (const path of paths.sort())
    files.set(path, (await parseYaml(readFileSync(join(folder, path), 'utf8'))) as Fields)
  return files
}
