import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFlags } from '../../../../src/cli/nouns/server/start-flags.ts'
import { withConfiguration } from '../../../../src/cli/program/configuration/server-configuration.ts'
import { temporaryFolder } from '../../../support/databases.ts'
import { operator } from '../../../support/operator.ts'

/** Returns the settings of a server with this file, environment and flags. */
function configured(text: string, env: Record<string, string> = {}, flags: Record<string, string> = {}) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'server.yaml'), text)
  return withConfiguration({ cwd, env }, { config: 'server.yaml', ...flags }, startFlags)
}

describe('the configuration of a server', () => {
  test('comes from flags, then from the environment, then from the file', async () => {
    const file = 'port: 1\nhost: 10.0.0.1\nrate-limit: 100/60\nmetrics-public: true\n'
    expect(await configured(file, { PARLEY_LISTEN_PORT: '2', PARLEY_LISTEN_HOST: '10.0.0.2' }, { port: '3' })).toEqual({
      config: 'server.yaml',
      port: '3',
      host: '10.0.0.2',
      rateLimit: '100/60',
      metricsPublic: true,
    })
  })

  test('can name the file in the environment, and an empty file sets nothing', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'a.yaml'), '# nothing\n')
    const env = { PARLEY_SERVER_CONFIG: 'a.yaml', PARLEY_METRICS_PUBLIC: '0', PARLEY_LOG: '' }
    expect(await withConfiguration({ cwd, env }, {}, startFlags)).toEqual({ config: 'a.yaml', metricsPublic: false })
  })

  test.each([
    ['prot: 1', 'Unknown key "prot" in --config server.yaml. Did you mean "port"?'],
    ['config: other.yaml', 'Unknown key "config"'],
    ['log: xml', 'Invalid value "xml" for "log" in --config server.yaml. Allowed values: json, pretty, none.'],
    ['metrics-public: maybe', 'Allowed values: true, false.'],
    ['port: [1, 2]', '"port" in --config server.yaml must have one value.'],
    ['- port', 'must contain keys and values'],
    ['port: "1', 'is not valid YAML'],
  ])('refuses a file with %s', async (text, message) => {
    await expect(configured(text)).rejects.toThrow(message)
  })

  test('names the file that is missing, and the variable with an invalid value', async () => {
    const system = { cwd: temporaryFolder(), env: {} }
    await expect(withConfiguration(system, { config: 'no.yaml' }, startFlags)).rejects.toThrow(
      'Could not read --config no.yaml',
    )
    await expect(configured('', { PARLEY_LOG: 'xml' })).rejects.toThrow('Invalid value "xml" for PARLEY_LOG.')
  })

  test('is used by "server start", with an error for a drain that never ends', async () => {
    const by = operator()
    const file = join(temporaryFolder(), 'server.yaml')
    writeFileSync(file, 'drain-delay: 40\n')
    expect(await by.run(`server start --port 0 --config ${file}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--drain-delay 40 must be shorter than --drain-limit 30.'),
    })
    expect(await by.run('server start --port 0 --drain-limit x')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Invalid --drain-limit "x". Use seconds, such as 5.'),
    })
  })
})
