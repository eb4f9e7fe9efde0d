import { describe, expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

describe.each([
  { noun: 'folders', one: 'folder', first: 'Front desk', seeded: 2, lost: 'Its assistants become uncategorized.' },
  { noun: 'labels', one: 'label', first: 'production', seeded: 3, lost: 'It is removed from its assistants.' },
])('$noun', ({ noun, one, first, seeded, lost }) => {
  test('are created, renamed by name, colored and deleted', async () => {
    const { run, json } = operator()
    const made = await run(`${noun} create --name evening --${one}-color teal`)
    const id = seeded + 1
    expect(made).toMatchObject({
      exitCode: 0,
      stdout: `${one === 'folder' ? 'Folder' : 'Label'} created successfully. Id: ${id}\n`,
      stderr: `Next: parley ${noun} list\n`,
    })
    expect(await json(`${noun} update evening --name late`)).toEqual({
      id,
      name: 'late',
      color: 'teal',
      assistants_count: 0,
    })
    expect(await json(`${noun} update late --${one}-color null`)).toMatchObject({ id, color: null })
    expect((await run(`${noun} list -o id`)).stdout.split('\n')).toHaveLength(id + 1)
    expect(await json(`${noun} delete late --yes`)).toMatchObject({ id })
    expect(await json(`${noun} list`)).toHaveLength(seeded)
  })

  test('with a taken name or an unknown color are refused, and the flag is named', async () => {
    const { run } = operator()
    expect(await run(`${noun} create --name "${first}"`)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('The name has already been taken.'),
    })
    const { exitCode, stderr } = await run(`${noun} update 1 --color mauve`)
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('--color: The selected color is invalid.'),
    })
  })

  test('are found by name on any page', async () => {
    const { run, json } = operator()
    for (let n = 1; n <= 16; n++) expect((await run(`${noun} create --name n${n} --quiet`)).exitCode).toBe(0)
    expect(await json(`${noun} update n16 --${one}-color red`)).toMatchObject({ name: 'n16', color: 'red' })
    const total = seeded + 16
    const page = await run(`${noun} list`)
    expect(page.stdout.split('\n')).toHaveLength(17)
    expect(page.stderr).toBe(`Showing 15 of ${total}. More: add --all, or --page 2.\n`)
    expect(await json(`${noun} list --all`)).toHaveLength(total)
    expect(await json(`${noun} list --page 2`)).toHaveLength(total - 15)
    expect(await json(`${noun} list --limit 3`)).toHaveLength(3)
  })

  test('are deleted only after a confirmation that shows what is lost', async () => {
    const { run, json } = operator()
    expect(await run(`${noun} delete 1`)).toMatchObject({ exitCode: 10 })
    const declined = await run(`${noun} delete 1`, { answers: [[lost, false]] })
    expect(declined).toMatchObject({
      exitCode: 10,
      asked: [expect.stringMatching(new RegExp(`^\\[local · simulated\\] Delete ${one} ".+" \\(1\\)\\? ${lost}$`))],
    })
    expect(await json(`${noun} list`)).toHaveLength(seeded)
    expect(await run(`${noun} delete 99 --yes`)).toMatchObject({ exitCode: 4 })
    expect(await run(`${noun} update 1`)).toMatchObject({ exitCode: 2 })
    expect(await run(`${noun} update nobody --name x`)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(`List ${noun}: parley ${noun} list.`),
    })
  })
})

describe('knowledge', () => {
  const add = 'knowledge documents create 1 --name Fees --url https://northwind.example/fees'

  test('is created, filled, read and emptied', async () => {
    const { run, json } = operator()
    const { id } = await json('knowledge create --name Prices --description "What things cost"')
    expect(await json('knowledge get Prices')).toMatchObject({ id, status: 'empty', documents_count: 0 })
    const made = await json(
      'knowledge documents create Prices --name Fees --url https://northwind.example/fees --relative-links-limit 3',
    )
    expect(made).toMatchObject({ name: 'Fees', type: 'website', status: 'processing' })
    // What the write left to do is done before the command ends.
    expect(await json(`knowledge documents get Fees --knowledge Prices`)).toMatchObject({
      id: made.id,
      status: 'active',
    })
    expect(await json('knowledge get Prices')).toMatchObject({ status: 'active', documents_count: 1 })
    expect(await json(`knowledge documents update ${made.id} --knowledge ${id} --name Rates`)).toMatchObject({
      id: made.id,
      name: 'Rates',
    })
    expect((await json('knowledge documents list Prices')).map((it: { name: string }) => it.name)).toEqual(['Rates'])
    expect(await json(`knowledge documents delete Rates --knowledge Prices --yes`)).toEqual({
      id: made.id,
      message: 'Document deleted successfully.',
    })
    expect(await json('knowledge update Prices --description null')).toMatchObject({ id, description: null })
    expect(await json('knowledge delete Prices --yes')).toEqual({ id, message: 'Knowledgebase deleted successfully.' })
    expect(await run(`knowledge get ${id}`)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('Knowledgebase not found.'),
    })
  })

  test('of web pages is created from a list, and an unreadable site is shown as failed', async () => {
    const { json, run } = operator()
    await json(`knowledge documents create 1 --name Pages --links '[{link: "https://northwind.example/a"}]'`)
    await json('knowledge documents create 1 --name Lost --url https://unreadable.example')
    const { stdout } = await run('knowledge documents list 1 --fields name,status')
    expect(stdout).toBe(
      'Name\tStatus\nTreatments and prices\tactive\nOpening hours\tactive\nInsurers\tfailed\nPages\tactive\nLost\tfailed\n',
    )
  })

  test('prints the next command after a write', async () => {
    const { run } = operator()
    expect(await run('knowledge create --name Prices')).toMatchObject({
      stdout: 'Knowledgebase created successfully. Id: 2\n',
      stderr: 'Next: parley knowledge documents create 2\n',
    })
    expect(await run(add)).toMatchObject({
      stdout: 'Document created successfully. Id: 4\n',
      stderr: 'Next: parley knowledge documents get 4 --knowledge 1\n',
    })
  })

  test('reports a missing argument before any request', async () => {
    const { run } = operator()
    const silent = { exitCode: 2, stdout: '', requests: [] }
    expect(await run('knowledge documents get 1')).toMatchObject({
      ...silent,
      stderr: expect.stringContaining('Missing --knowledge.'),
    })
    expect(await run('knowledge documents get --knowledge 1')).toMatchObject({
      ...silent,
      stderr: expect.stringContaining('parley knowledge documents list 1'),
    })
    expect(await run('knowledge documents create 1 --name x')).toMatchObject({
      ...silent,
      stderr: expect.stringContaining('--url'),
    })
    expect(await run('knowledge documents create 1 --url https://x.example')).toMatchObject({
      ...silent,
      stderr: expect.stringContaining('Missing --name.'),
    })
    expect(await run('knowledge documents update 1 --knowledge 1')).toMatchObject(silent)
    expect(await run('knowledge documents')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('parley knowledge documents <verb>'),
    })
  })

  test('of a type that needs a file is refused by the platform', async () => {
    const { run } = operator()
    expect(await run(`knowledge documents create 1 --data '{name: x, type: pdf}'`)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('as JSON only websites can be added'),
    })
  })

  test('prompts for the knowledge base and the document on a terminal', async () => {
    const { run } = operator()
    const { exitCode, stdout, asked } = await run('knowledge documents delete', {
      answers: [
        ['Which knowledge base?', 'Practice handbook'],
        ['Which document?', 'Insurers (3)'],
        ['Delete document "Insurers" (3)?', true],
      ],
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Document deleted successfully.\n' })
    expect(asked[1]?.split('\n')).toEqual([
      'Which document?',
      'Treatments and prices (1)',
      'Opening hours (2)',
      'Insurers (3)',
    ])
    expect((await run('knowledge documents list 1 -o id')).stdout).toBe('1\n2\n')
  })

  test('is deleted only after confirmation', async () => {
    const { run, json } = operator()
    expect(await run('knowledge delete 1')).toMatchObject({ exitCode: 10 })
    expect(await run('knowledge documents delete 1 --knowledge 1')).toMatchObject({ exitCode: 10 })
    expect(await json('knowledge get 1')).toMatchObject({ documents_count: 3 })
  })

  test('shows its request with --dry-run', async () => {
    const { run } = operator()
    expect(JSON.parse((await run(`${add} --dry-run --json`)).stdout)).toEqual({
      method: 'POST',
      path: '/api/user/knowledgebases/1/documents',
      body: { type: 'website', name: 'Fees', url: 'https://northwind.example/fees' },
    })
  })
})
