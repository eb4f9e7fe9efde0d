import { describe, expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

type Named = { id: number; name: string; code?: string }
type Voice = {
  id: number
  language_id: number
  synthesizer_provider_id: number | null
  gender: string
  preview_url: string
}
const ids = (list: readonly { id: number }[]): number[] => list.map((it) => it.id)

describe('models', () => {
  test('are those of pipeline mode by default, and only those have no code', async () => {
    const { json } = operator()
    const of = async (type: string): Promise<Named[]> => json(`models list --type ${type}`)
    expect(await json('models list')).toEqual(await of('llm'))
    for (const model of await of('llm')) expect(Object.keys(model)).toEqual(['id', 'name'])
    for (const type of ['multimodal', 'dualplex'])
      for (const transcriber of await of(type)) expect(Object.keys(transcriber)).toEqual(['id', 'name', 'code'])
    const all = [...(await of('llm')), ...(await of('multimodal')), ...(await of('dualplex'))]
    expect(new Set(ids(all)).size).toBe(all.length)
  })

  test('of a type that does not exist are refused', async () => {
    const { exitCode, stderr } = await operator().run('models list --type vision --json')
    expect(exitCode).toBe(6)
    expect(JSON.parse(stderr).error.details).toEqual([{ path: 'type', message: 'The selected type is invalid.' }])
  })
})

describe.each(['synthesizers', 'transcribers'])('%s', (noun) => {
  test('are listed completely, or only those that support a language', async () => {
    const { json } = operator()
    const all: Named[] = await json(`${noun} list`)
    expect(all.length).toBeGreaterThan(2)
    for (const language of all)
      expect(language).toEqual({
        id: expect.any(Number),
        name: expect.any(String),
        code: expect.stringMatching(/^[a-z-]+$/),
      })
    const thai: Named[] = await json(`${noun} list --language th`)
    expect(thai).toHaveLength(1)
    expect(ids(all)).toEqual(expect.arrayContaining(ids(thai)))
    expect(ids(await json(`${noun} list --language en`))).toEqual(ids(all))
    for (const language of await json('languages list'))
      expect(await json(`api ${noun}.list --data '{language_id: ${language.id}}'`), language.name).not.toEqual([])
  })

  test('of an unknown language give an error, and an invalid id is refused', async () => {
    const { json, run } = operator()
    expect(await json(`${noun} list --language 999`)).toEqual([])
    expect(await run(`api ${noun}.list --data '{language_id: x}'`)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('The language id field must be an integer.'),
    })
  })
})

describe('voices', () => {
  test('exist for every language, each with the fields that an assistant needs', async () => {
    const { json } = operator()
    const all: Voice[] = await json('voices list')
    const synthesizers = ids(await json('synthesizers list'))
    expect(all.length).toBeGreaterThan(40)
    for (const voice of all) {
      expect(['female', 'male']).toContain(voice.gender)
      expect(voice.preview_url).toMatch(/^https:\/\/voices\.example\/\w+\.mp3$/)
      if (voice.synthesizer_provider_id !== null) expect(synthesizers).toContain(voice.synthesizer_provider_id)
    }
    expect([...new Set(all.map((it) => it.language_id))].sort()).toEqual(ids(await json('languages list')).sort())
  })

  test('belong to a provider that supports their language', async () => {
    const { json } = operator()
    for (const voice of (await json('voices list')) as Voice[])
      if (voice.synthesizer_provider_id !== null)
        expect(ids(await json(`synthesizers list --language ${voice.language_id}`)), String(voice.id)).toContain(
          voice.synthesizer_provider_id,
        )
  })

  test('are filtered by language and by mode', async () => {
    const { json } = operator()
    const spanish: Voice[] = await json('voices list --language es')
    expect(new Set(spanish.map((it) => it.language_id))).toEqual(new Set([2]))
    const own: Voice[] = await json('voices list --mode multimodal')
    expect(own.every((it) => it.synthesizer_provider_id === null)).toBe(true)
    const others: Voice[] = await json('voices list --mode dualplex')
    expect(others.every((it) => it.synthesizer_provider_id !== null)).toBe(true)
    expect(await json('voices list --mode pipeline')).toEqual(others)
    expect(own.length + others.length).toBe((await json('voices list')).length)
    expect(await json('voices list --language 999')).toEqual([])
  })
})

describe('a language', () => {
  test.each(['es', 'ES', 'Spanish', '2'])('is named %s', async (language) => {
    const { json } = operator()
    expect(await json(`voices list --language ${language}`)).toEqual(
      await json(`api voices.list --data '{language_id: 2}'`),
    )
  })

  test('with an unknown name are not found before anything else is requested', async () => {
    expect(await operator().run('voices list --language Klingon')).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: 'error: No language "Klingon" found.\nhint: List languages: parley languages list.\n',
      requests: ['GET /api/user/assistants/languages'],
    })
  })
})

test('lists are tables for people', async () => {
  const { run } = operator()
  expect((await run('languages list --no-color', { terminal: true })).stdout.split('\n').slice(0, 3)).toEqual([
    'ID  Code  Name',
    ' 1  en    English',
    ' 2  es    Spanish',
  ])
  const { stdout } = await run('voices list --language it --no-color', { terminal: true })
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^ID +Name +Language +Gender +Accent +Age +Synthesizer +Preview$/),
    expect.stringMatching(/^13 +Giulia +5 +female +Italian +young +1 +https:/),
    '',
  ])
})

test('responses that are not specified are marked as assumed', async () => {
  const { run } = operator()
  for (const name of ['voices.list', 'languages.list', 'transcribers.list'])
    expect((await run(`api ${name} --headers`)).stderr).toContain(`parley-assumed: ${name}`)
  for (const name of ['models.list', 'synthesizers.list'])
    expect((await run(`api ${name} --headers`)).stderr).not.toContain('parley-assumed')
})
