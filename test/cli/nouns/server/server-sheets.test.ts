import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('rows of a spreadsheet are listed and edited with "server sheets"', async () => {
  const { run, json } = operator()
  expect(await json('server sheets list')).toEqual([])
  expect((await run('server sheets create contacts --columns Name,Phone')).stdout).toContain('created')
  await run('server sheets add-row contacts --cell Name=Ada --cell Phone=+14155550142')
  expect(await json(`server sheets add-row contacts --values '{"Name":"Grace"}'`)).toMatchObject({ number: 3 })
  await run('server sheets update-row contacts --row 3 --cell "Phone==1+1"')
  expect(await json('server sheets rows contacts')).toEqual([
    { number: 2, values: { Name: 'Ada', Phone: '+14155550142' } },
    { number: 3, values: { Name: 'Grace', Phone: '=1+1' } },
  ])
  expect((await run('server sheets rows contacts -o csv')).stdout).toBe(
    'row,Name,Phone\n2,Ada,+14155550142\n3,Grace,=1+1\n',
  )
  expect((await run('server sheets rows contacts -o csv --safe --limit 2')).stdout).toContain("3,Grace,'=1+1\n")
  const table = (await run('server sheets rows contacts', { terminal: true })).stdout
  expect(stripVTControlCharacters(table)).toMatch(/Row +Name +Phone\s+2 +Ada/)
  expect((await run('server sheets rows contacts --fields number,values.Name -o tsv')).stdout).toContain('2\tAda')
  expect(await json('server sheets list')).toMatchObject([{ name: 'contacts', rows: 2 }])
  expect(await run('server sheets delete-row contacts --row 2')).toMatchObject({ exitCode: 10 })
  await run('server sheets delete-row contacts --row 2 --yes')
  expect(await json('server sheets rows contacts')).toMatchObject([{ number: 2, values: { Name: 'Grace' } }])
})

test('missing names, rows and cells of spreadsheets are explained', async () => {
  const { run } = operator()
  await run('server sheets create contacts --columns Name')
  for (const [line, exitCode, text] of [
    ['server sheets rows', 2, 'parley server sheets list'],
    ['server sheets rows none', 4, 'Create'],
    ['server sheets create contacts --columns Name', 5, 'exists'],
    ['server sheets create other', 2, '--columns Name,Phone'],
    ['server sheets add-row contacts', 2, '--cell Name=Ada'],
    ['server sheets add-row contacts --cell Ada', 2, 'Invalid --cell "Ada"'],
    ['server sheets update-row contacts --cell Name=Ada', 2, '--row'],
    ['server sheets delete-row contacts --row 7 --yes', 4, 'row 7'],
  ] as const)
    expect(await run(line), line).toMatchObject({ exitCode, stderr: expect.stringContaining(text) })
})

test('rows of a spreadsheet take the flags of lists in every format', async () => {
  const { run, json } = operator()
  await run('server sheets create contacts --columns Name,Phone')
  for (const name of ['Ada', 'Grace', 'Alan']) await run(`server sheets add-row contacts --cell Name=${name}`)
  const rows = 'server sheets rows contacts'
  expect(await json(`${rows} --filter values.Name!=Grace --sort -number`)).toMatchObject([
    { number: 4, values: { Name: 'Alan' } },
    { number: 2, values: { Name: 'Ada' } },
  ])
  expect((await run(`${rows} --filter values.Name=Grace -o csv`)).stdout).toBe('row,Name,Phone\n3,Grace,\n')
  expect((await run(`${rows} --sort -values.Name --limit 1 -o tsv`)).stdout).toBe('row\tName\tPhone\n3\tGrace\t\n')
  const table = (await run(`${rows} --filter number>3`, { terminal: true })).stdout
  expect(stripVTControlCharacters(table)).toMatch(/Row +Name +Phone\s+4 +Alan/)
  expect(table).not.toContain('Ada')
  expect(await run(`${rows} --filter color=red`)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Unknown field "color" in --filter.'),
  })
})
