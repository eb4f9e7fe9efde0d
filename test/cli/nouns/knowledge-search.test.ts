import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { operator } from '../../support/operator.ts'

interface Passage {
  readonly document: string
  readonly text: string
  readonly score: number
  readonly url: string | null
}

describe('knowledge search', () => {
  test('prints the passages that match a question, the best first, with their scores', async () => {
    const { json } = operator()
    const found: Passage[] = await json('knowledge search 1 "cleaning"')
    expect(found.length).toBeGreaterThan(0)
    const scores = found.map((it) => it.score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(scores.every((it) => it > 0)).toBe(true)
    expect(await json('knowledge search 1 cleaning')).toEqual(found)
  })

  test('takes the name of a knowledge base, and a question of several words', async () => {
    const { json } = operator()
    const [{ name }] = await json('knowledge list')
    expect(await json(`knowledge search "${name}" cleaning hours`)).toEqual(
      await json('knowledge search 1 "cleaning hours"'),
    )
  })

  test.each([
    ['a word', 'cleaning', true],
    ['its plural', 'cleanings', true],
    ['its first four letters', 'clea', true],
    ['its first three letters', 'cle', false],
    ['letters within it', 'eaning', false],
  ])('finds passages by %s: %s', async (_, word, isFound) => {
    const found: Passage[] = await operator().json(`knowledge search 1 ${word}`)
    expect(found.length > 0).toBe(isFound)
  })

  test('prints at most --limit passages, and takes the flags of lists', async () => {
    const { json } = operator()
    expect(await json('knowledge search 1 cleaning --limit 1')).toHaveLength(1)
    expect(await json('knowledge search 1 cleaning --filter score>1000')).toEqual([])
  })

  test('says that nothing matches, and which documents are searched', async () => {
    const { exitCode, stdout, stderr } = await operator().run('knowledge search 1 xylophone', { terminal: true })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(stderr).toContain('No passage matches. Only documents with the status "active" are searched')
  })

  test('of an empty knowledge base finds nothing, and of an unknown one fails', async () => {
    const { run, json } = operator()
    const { id } = await json('knowledge create --name Empty')
    expect(await json(`knowledge search ${id} anything`)).toEqual([])
    expect(await run('knowledge search Emty anything')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No knowledge base "Emty" found. Did you mean "Empty"?'),
    })
    expect((await run('knowledge search 99 anything')).exitCode).toBe(4)
  })

  test('names a missing question, and prompts for it on a terminal', async () => {
    const { run } = operator()
    expect(await run('knowledge search 1')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('error: Missing question.'),
      requests: [],
    })
    expect((await run('knowledge search "Practice handbook"')).stderr).toContain(
      `parley knowledge search 'Practice handbook' "When do you open?".`,
    )
    const { stderr, exitCode } = await run('knowledge search 1', {
      answers: [['What do you want to find?', 'cleaning']],
    })
    expect(exitCode).toBe(0)
    expect(stderr).toContain("Equivalent command: parley knowledge search 1 'cleaning'")
  })

  test('is refused elsewhere before any request, with the reason and what to do', async () => {
    const { exitCode, stderr } = await operator().run('knowledge search 1 hours', { through: notParleyServer })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('does not have the capability "knowledge-search"')
    expect(stderr).toContain('parley conversations chat --assistant <id>')
  })
})
