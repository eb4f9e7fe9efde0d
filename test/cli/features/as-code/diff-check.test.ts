import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { change, desk, pulled, writes } from './code-folder.ts'

test('diff --check reports differences as Markdown and JUnit XML, and exits with 20', async () => {
  const by = await pulled()
  const file = (name: string): string => readFileSync(join(by.cwd, name), 'utf8')
  const line = 'diff --check --markdown summary.md --junit diff.xml'
  const same = await by.run(line)
  expect(same).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^0 of \d+ resources differ from the profile "local"/m),
  })
  expect(file('summary.md')).toMatch(/^## profile "local" \(local platform\)\n\nNo differences in \d+ resources\.\n/)
  expect(file('diff.xml')).toMatch(/<testsuite name="parley diff" tests="\d+" failures="0">/)
  change(by, desk, 'max_duration: 600', 'max_duration: 300')
  await by.run(['tools', 'update', '2', '--description', 'Book <now> | "soon" & *well*'])
  const found = await by.run(line)
  expect(found).toMatchObject({ exitCode: 20, stderr: expect.stringContaining('2 of ') })
  expect(writes(found.requests)).toEqual([])
  expect(file('summary.md')).toContain(
    '| assistants/front-desk.yaml | changed locally | max\\_duration: 600 -\\> 300 |',
  )
  // Every run adds its own section.
  expect(file('summary.md').match(/^## /gm)).toHaveLength(2)
  expect(file('summary.md')).toContain('Book \\<now\\> \\| ')
  const xml = file('diff.xml')
  expect(xml).toContain('failures="2"')
  expect(xml).toContain(
    '<failure type="changed_locally" message="changed locally">changed locally\nmax_duration: 600 -&gt; 300</failure>',
  )
  expect(xml).toContain('&lt;now&gt; | \\&quot;soon\\&quot; &amp; *well*')
})

test('diff --check fails when a kind of resource cannot be read, or a report cannot be written', async () => {
  const by = await pulled()
  const through: Parameters<typeof by.run>[1] = {
    through: (handle, request) =>
      request.url.startsWith('/api/user/campaigns')
        ? Promise.resolve({ status: 403, headers: {}, body: '{"message":"No access"}' })
        : handle(request),
  }
  expect(await by.run('diff', through)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Skipped the files of campaigns'),
  })
  const { exitCode } = await by.run('diff --check', through)
  expect([0, 20]).not.toContain(exitCode)
  expect(await by.run('diff --junit missing/diff.xml')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--junit: Could not write missing/diff.xml'),
  })
})
