import { describe, expect, test } from 'vitest'
import { startFlags } from '../../../../src/cli/nouns/server/start-flags.ts'
import { parseOtlp } from '../../../../src/cli/nouns/server/start-settings.ts'
import { withConfiguration } from '../../../../src/cli/program/configuration/server-configuration.ts'
import { temporaryFolder } from '../../../support/databases.ts'

/** Returns where a server with this environment and these flags exports its traces to. */
async function exportedTo(env: Record<string, string>, flags: Record<string, string> = {}) {
  return parseOtlp(await withConfiguration({ cwd: temporaryFolder(), env }, flags, startFlags), env).otlp
}

describe('traces are exported', () => {
  test('only where a receiver is named', async () => {
    expect(await exportedTo({ OTEL_SERVICE_NAME: 'voice', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k' })).toBe(undefined)
  })

  test('to the receiver of the environment, with its headers and the name of the service', async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'API-Key=k%2C1, authorization=Basic%20YTpi==,',
      OTEL_SERVICE_NAME: 'voice',
    }
    expect(await exportedTo(env)).toEqual({
      endpoint: 'https://traces.example/otlp',
      headers: { 'api-key': 'k,1', authorization: 'Basic YTpi==' },
      service: 'voice',
    })
    expect(await exportedTo(env, { otlpEndpoint: 'http://127.0.0.1:4318', otlpService: 'own' })).toMatchObject({
      endpoint: 'http://127.0.0.1:4318',
      service: 'own',
    })
  })

  test.each(['traces.example:4317', 'grpc://traces.example', 'https://traces.example/?key=1'])(
    'not to %s',
    async (otlpEndpoint) => {
      await expect(exportedTo({}, { otlpEndpoint })).rejects.toThrow(`Invalid --otlp-endpoint "${otlpEndpoint}".`)
    },
  )

  test.each(['secret-value', 'na me=secret-value', 'name=secret-value%', 'name=secret-value%0A'])(
    'not with the headers %j, which the error does not repeat',
    async (headers) => {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_EXPORTER_OTLP_HEADERS: headers }
      const error = await exportedTo(env).catch((it: Error) => it)
      expect(String(error)).toContain('Invalid OTEL_EXPORTER_OTLP_HEADERS.')
      expect(String(error)).not.toContain('secret-value')
    },
  )
})
