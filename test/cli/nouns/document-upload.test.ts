import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

test('a file is uploaded with its name and type', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'Parking.txt'), 'Parking is free behind the house.')
  const made = await by.run('knowledge documents create 1 --upload Parking.txt --json')
  expect([made.exitCode, JSON.parse(made.stdout)], made.stderr).toEqual([
    0,
    expect.objectContaining({ name: 'Parking', type: 'txt', status: 'processing' }),
  ])
  await by.run('server clock advance 1s')
  const { stdout } = await by.run('knowledge documents list 1 --json')
  expect(JSON.parse(stdout).at(-1)).toMatchObject({ name: 'Parking', type: 'txt', status: 'active' })
})

test('a preview shows the form without sending it', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'Hours.txt'), 'Open from 8 to 17.')
  const dry = await by.run('knowledge documents create 1 --upload Hours.txt --name "Opening hours" --dry-run --json')
  expect([dry.exitCode, JSON.parse(dry.stdout)], dry.stderr).toEqual([
    0,
    {
      method: 'POST',
      path: '/api/user/knowledgebases/1/documents',
      body: { name: 'Opening hours', type: 'txt', file: { filename: 'Hours.txt', size: 18 } },
    },
  ])
  const line = `knowledge documents create 1 --upload Hours.txt --name 'a;type=text/x' --description @/etc/hostname`
  const { stdout } = await by.run(`${line} --print-curl`)
  expect(stdout).toContain(`-F 'file=@"Hours.txt"'`)
  expect(stdout).not.toContain('Content-Type')
  // curl would read the file, or take the type, with -F.
  for (const text of ['name=a;type=text/x', 'description=@/etc/hostname'])
    expect(stdout).toContain(`--form-string '${text}'`)
})

test.each([
  ['missing.txt', 'Could not read --upload missing.txt: no such file.'],
  ['page.html', 'Invalid --upload page.html. Use a file that ends with .pdf, .txt or .docx.'],
])('%s is refused', async (file, message) => {
  const by = operator()
  const { exitCode, stderr } = await by.run(`knowledge documents create 1 --upload ${file}`)
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
})
