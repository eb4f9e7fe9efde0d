import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type ModelKeys,
  type ModelOptions,
  readModelSettings,
} from '../../../../src/platform/providers/language-model/model-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-language-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const url = 'https://models.example/v1'
let n = 0
/** Settings of a folder with this `language.json`. */
function read(given: ModelOptions, file?: object | string, keys?: ModelKeys) {
  const dir = mkdtempSync(join(folder, `${++n}-`))
  if (file !== undefined)
    writeFileSync(join(dir, 'language.json'), typeof file === 'string' ? file : JSON.stringify(file))
  return readModelSettings(given, dir, keys)
}

describe('the language model of a platform', () => {
  test('is the local model by default', () => {
    expect(read({})).toEqual({ script: undefined, remote: undefined })
    expect(read({ script: '/tmp/intents.yaml' })).toEqual({ script: '/tmp/intents.yaml', remote: undefined })
  })

  test('is at the configured URL, and flags take precedence over the folder', () => {
    const { remote } = read(
      { url: `${url}/`, model: 'small', key: 'k' },
      { base_url: 'https://other.example', model: 'other', timeout: 5, retries: 0 },
    )
    expect(remote?.endpointOf('Fast')).toEqual({
      baseUrl: url,
      key: 'k',
      model: 'small',
      takesTemperature: true,
      timeoutMs: 5000,
      retries: 0,
    })
  })

  test('can differ for each model of the catalog, with its own URL and key', () => {
    const models = { Fast: 'tiny', Thorough: { model: 'huge', base_url: 'https://big.example/v1', temperature: false } }
    const { remote } = read(
      { key: 'main' },
      { base_url: url, model: 'small', models },
      { 'big.example': 'big', 'models.example': 'file' },
    )
    const seen = ['Fast', 'Balanced', 'Thorough'].map((name) => {
      const { baseUrl, key, model, takesTemperature } = remote?.endpointOf(name) ?? {}
      return [baseUrl, key, model, takesTemperature]
    })
    expect(seen).toEqual([
      [url, 'main', 'tiny', true],
      [url, 'main', 'small', true],
      ['https://big.example/v1', 'big', 'huge', false],
    ])
  })

  test('takes its key from the credentials of the folder, only for its own URL', () => {
    const models = { Fast: { base_url: 'https://elsewhere.example' } }
    const { remote } = read({ url, model: 'small' }, { models }, 'sk-folder')
    expect([remote?.endpointOf('Balanced').key, remote?.endpointOf('Fast').key]).toEqual(['sk-folder', undefined])
  })

  test.each<[string, ModelOptions, object | string | undefined, string]>([
    ['no address', { model: 'small' }, undefined, 'Missing URL of the model endpoint'],
    ['no model', { url }, undefined, 'Missing model name'],
    ['an invalid URL', { url: 'models.example', model: 'm' }, undefined, 'Use an http or https URL'],
    [
      'a password in its address',
      { url: 'https://me:secret@models.example', model: 'm' },
      undefined,
      'must not contain a user name or password',
    ],
    [
      'a key for an address without encryption',
      { url: 'http://models.example', model: 'm', key: 'sk-1' },
      undefined,
      'Use https',
    ],
    ['a script besides', { url, model: 'm', script: 'x.yaml' }, undefined, 'only with the local model'],
    ['a key in the file', {}, { base_url: url, model: 'm', api_key: 'sk-1' }, 'PARLEY_MODEL_KEY'],
    ['a file that is no JSON', {}, '{', 'Invalid JSON'],
    ['an invalid timeout', { url, model: 'm', timeout: 'soon' }, undefined, 'Invalid model timeout'],
  ])('is refused with %s, and the key is not printed', (_, given, file, words) => {
    const refused = (): unknown => read(given, file)?.remote?.endpointOf('Fast')
    expect(refused).toThrow(words)
    expect(refused).not.toThrow('sk-1')
  })
})
