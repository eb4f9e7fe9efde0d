import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const needed =
  '--name A --type inbound --language-id 1 --timezone Europe/London --initial-message Hello --system-prompt Hi'
const multimodal = `assistants create ${needed} --mode multimodal --multimodal-model-id 21 --voice-id 43`
const writes = (requests: readonly string[]): string[] => requests.filter((it) => !it.startsWith('GET '))

describe('fields that the platform would accept and not save are refused before anything is sent', () => {
  const by = operator({ lasts: 'file' })

  test.each([
    [`${multimodal} --speech-speed 1.1`, '--speech-speed', 'set mode to pipeline or dualplex.'],
    [`${multimodal} --speech-speed 1`, '--speech-speed', 'set mode to pipeline or dualplex.'],
    [`${multimodal} --fillers --speech-speed 1.1`, '--fillers', 'set mode to pipeline.'],
    ['assistants update 2 --speech-speed 1.1', '--speech-speed', 'set mode to pipeline or dualplex.'],
    ['assistants update 2 --set speech_speed=1.1', '--speech-speed', 'set mode to pipeline or dualplex.'],
    ['assistants update 2 --data "{fillers: true}"', '--fillers', 'set mode to pipeline.'],
    ['assistants update 1 --mode dualplex --multimodal-model-id 41 --fillers', '--fillers', 'set mode to pipeline.'],
    ['tools update 4 --endpoint https://x.example', '--endpoint', 'It applies with type http.'],
    ['tools update 4 --data "{method: DELETE}"', '--method', 'It applies with type http.'],
    ['campaigns create --name S --assistant 1 --timezone UTC --sms-body Hello', '--sms-body', 'set channel to sms.'],
    ['campaigns update 2 --sms-body Hello', '--sms-body', 'It applies with channel sms.'],
    [
      `api assistants.create --data '{"mode": "multimodal", "speech_speed": 1.1}'`,
      'speech_speed',
      'set mode to pipeline or dualplex.',
    ],
  ])('%s', async (line, flag, fix) => {
    const run = await by.run(`${line} -o json`)
    const { error } = JSON.parse(run.stderr)
    expect([run.exitCode, run.stdout, error.code, writes(run.requests)]).toEqual([2, '', 'inapplicable_field', []])
    expect(error.message).toMatch(/would not save (it|them)\. Nothing was sent\.$/)
    expect(error.hint).toContain(fix)
    expect((await by.run(line)).stderr).toContain(`${flag}: Does not apply with `)
  })

  test('also in a dry run', async () => {
    expect(await by.run('assistants update 2 --speech-speed 1.1 --dry-run')).toMatchObject({ exitCode: 2 })
  })

  test('fields that a file has from a read or by default are not sent', async () => {
    const own = operator()
    for (const form of ['yaml', 'json']) {
      const shown = await own.run(`assistants get 2 -o ${form}`)
      writeFileSync(join(own.cwd, `a.${form}`), shown.stdout)
      const unchanged = await own.run(`assistants update 2 --file a.${form} -o json`)
      expect([unchanged.exitCode, writes(unchanged.requests)]).toEqual([0, []])
      const copy = await own.run(`assistants create --file a.${form} --name Copy-${form} --json`)
      expect(copy, copy.stderr).toMatchObject({ exitCode: 0 })
    }
    const withDefaults = `assistants update 2 --data '{"speech_speed": 1, "fillers": false, "max_duration": 99}'`
    expect(await own.run(withDefaults)).toMatchObject({ exitCode: 0 })
    expect(await own.json('assistants get 2')).toMatchObject({ max_duration: 99 })
  })

  test('what a deployment shows of another mode can be sent back and copied', async () => {
    const own = operator()
    // It keeps the settings of the mode that an assistant had before.
    const through = async (
      handle: Parameters<NonNullable<Parameters<typeof own.run>[1]>['through'] & object>[0],
      request: Parameters<typeof handle>[0],
    ) => {
      const answer = await handle(request)
      if (request.method !== 'GET' || !/assistants\/get/.test(request.url)) return answer
      const page = JSON.parse(String(answer.body))
      const data = page.data.map((assistant: { mode: string }) =>
        assistant.mode === 'multimodal' ? { ...assistant, speech_speed: 1.15 } : assistant,
      )
      return { ...answer, body: JSON.stringify({ ...page, data }) }
    }
    writeFileSync(join(own.cwd, 'a.yaml'), (await own.run('assistants get 2 -o yaml', { through })).stdout)
    const unchanged = await own.run('assistants update 2 --file a.yaml', { through })
    expect([unchanged.exitCode, writes(unchanged.requests)]).toEqual([0, []])
    expect(await own.run('assistants create --file a.yaml --name Copy', { through })).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Not sent, without effect with mode multimodal: speech_speed.'),
    })
    expect(await own.run('assistants update 2 --speech-speed 1.15', { through })).toMatchObject({ exitCode: 0 })
  })
})

describe('push refuses fields of another mode before anything is sent', () => {
  const pulledFolder = async () => {
    const own = operator()
    expect(await own.run('pull')).toMatchObject({ exitCode: 0 })
    const file = join(own.cwd, 'parley/assistants/recall.yaml')
    return { own, file, text: readFileSync(file, 'utf8') }
  }

  test('of an assistant that exists and of a new one, with the file and the fields', async () => {
    const { own, file, text } = await pulledFolder()
    expect(text).toContain('mode: multimodal')
    writeFileSync(file, `${text}speech_speed: 1.1\n`)
    writeFileSync(
      join(own.cwd, 'parley/assistants/other.yaml'),
      `${text.replace(/name: .*/, 'name: Other')}fillers: true\n`,
    )
    for (const line of ['push --yes -o json', 'push --check -o json']) {
      const run = await own.run(line)
      const { error } = JSON.parse(run.stderr)
      expect([run.exitCode, error.code, writes(run.requests)]).toEqual([2, 'inapplicable_field', []])
      expect(error.message).toMatch(/assistants\/(?:other|recall)\.yaml: (?:fillers|speech_speed) does not apply/)
    }
    writeFileSync(file, text)
    expect((await own.run('push --yes')).stderr).toContain('other.yaml: fillers does not apply with mode multimodal')
  })

  test('and sends nothing for defaults of another mode, so that the next push has nothing to do', async () => {
    const { own, file, text } = await pulledFolder()
    writeFileSync(file, `${text}speech_speed: 1\nfillers: false\n`)
    const pushed = await own.run('push --yes')
    expect([pushed.exitCode, writes(pushed.requests)], pushed.stderr).toEqual([0, []])
    const again = await own.run('push')
    expect([again.exitCode, writes(again.requests)], again.stderr).toEqual([0, []])
    expect(again.stderr).toContain('Nothing to push')
  })

  test('but an unchanged value of the mode that a file leaves is not in the way', async () => {
    const { own } = await pulledFolder()
    const desk = join(own.cwd, 'parley/assistants/front-desk.yaml')
    const text = readFileSync(desk, 'utf8')
    expect(text).toContain('mode: pipeline')
    writeFileSync(
      desk,
      `${text.replace('mode: pipeline', 'mode: dualplex').replace(/^llm_model_id: .*\n/m, '')}multimodal_model_id: 41\n`,
    )
    const run = await own.run('push --yes --json')
    expect(run, run.stdout + run.stderr).toMatchObject({ exitCode: 0 })
    expect(await own.run('push')).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to push') })
  })
})
