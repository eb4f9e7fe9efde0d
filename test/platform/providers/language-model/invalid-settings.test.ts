import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lazyModel } from '../../../../src/platform/providers/language-model/lazy-model.ts'

test('a reply that fails because of the model script logs the script and the reason', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-model-'))
  const script = join(dataDir, 'script.yaml')
  writeFileSync(script, 'intent: []')
  const reasons: (string | undefined)[] = []
  const options = {
    dataDir,
    keys: () => undefined,
    log: (_: string, fields?: { reason: string }) => reasons.push(fields?.reason),
  }
  const reply = (given: object) => lazyModel({ ...options, given }).reply({ messages: [], functions: [] } as never)
  expect(await reply({ script })).toMatchObject({
    ok: false,
    reason: 'The language model is not configured correctly.',
  })
  expect(await reply({ script: join(dataDir, 'none.yaml') })).toMatchObject({ ok: false })
  expect(reasons).toEqual([
    expect.stringContaining(`Model script ${script}: invalid value at the top level: `),
    expect.stringContaining('none.yaml: file not found.'),
  ])
})
