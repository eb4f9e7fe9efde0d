import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from '../../../../support/operator.ts'
import { acceptedOrNamed } from './accept-flow.ts'

const folder = join(import.meta.dirname, '../../../../fixtures/flows')
const by = operator({ lasts: 'file' })

const secrets = new Set<string>()

test.each(readdirSync(folder).sort())(
  '%s of public exports is accepted, or refused with the name of the piece',
  async (name) => {
    const file = join(folder, name)
    const findings = await acceptedOrNamed(by, file, JSON.parse(readFileSync(file, 'utf8')))
    for (const finding of findings) if (finding.rule === 'inline-secret') secrets.add(finding.path)
  },
)

test('no setting of an editor is mistaken for a secret', () => {
  expect([...secrets].filter((it) => it !== 'settings.input.headers.x-rapidapi-key')).toEqual([])
})
