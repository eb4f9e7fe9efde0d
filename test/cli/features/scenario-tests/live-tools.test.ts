import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { receiver } from '../../../support/servers/http-receiver.ts'
import { sampleProject } from './project.ts'

const quote = `
assistant: Front desk
turns: [{say: "Quote a treatment, treatment is cleaning", expect: {called: quote_treatment, contains: 120 USD}}]
`

test('--live-tools calls the real tools with the secrets of the environment, after confirmation', async () => {
  const server = await receiver()
  server.answer(() => ({ body: { price: '120 USD' } }))
  const by = await sampleProject(
    { 'quote.yaml': quote },
    { env: { BOOK_APPOINTMENT_X_PRACTICE: 'north', KEY: 'live-secret-value' } },
  )
  const file = join(by.cwd, 'parley', 'tools', 'quote-treatment.yaml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text
      .replace('https://practice.northwind.example', server.url)
      .replace('headers: []', `headers:\n  - {name: X-Key, value: "\${KEY}"}`),
  )
  expect(await by.run('assistants test')).toMatchObject({ exitCode: 20 })
  expect(await by.run('assistants test --live-tools')).toMatchObject({ exitCode: 10 })
  expect(server.got).toEqual([])
  expect(await by.run('assistants test --live-tools --yes')).toMatchObject({ exitCode: 0 })
  expect(server.got).toMatchObject([{ url: '/prices/cleaning', headers: { 'x-key': 'live-secret-value' } }])
  await server.close()
})

test('voices and models that only a deployment has are replaced', async () => {
  const by = await sampleProject({ 'hello.yaml': 'assistant: Front desk\nturns: [Hello]\n' })
  const file = join(by.cwd, 'parley', 'assistants', 'front-desk.yaml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text
      .replace('voice_id: Amelia', 'voice_id: Our own voice')
      .replace('llm_model_id: Balanced', 'llm_model_id: Our own model'),
  )
  expect(await by.run('assistants test')).toMatchObject({ exitCode: 0 })
  writeFileSync(file, text.replace('language_id: English', 'language_id: Klingon'))
  expect(await by.run('assistants test')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      'parley/assistants/front-desk.yaml: language_id: "Klingon" is not among the languages.',
    ),
  })
})
