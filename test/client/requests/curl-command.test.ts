import { execa } from 'execa'
import { expect, test } from 'vitest'
import { buildRequest } from '../../../src/client/requests/build-request.ts'
import { toCurl } from '../../../src/client/requests/curl-command.ts'
import { keys } from '../../../src/contract/resources/keys.ts'
import { tools } from '../../../src/contract/resources/tools.ts'

const nasty = `it's "quoted" $HOME \`id\` \\ !x\nnext`

test('a request becomes a curl command with the name of the key variable instead of the key', () => {
  expect(
    toCurl('https://platform.test', {
      ...buildRequest(keys.list, {}),
      headers: { accept: 'application/json', authorization: 'Bearer 1|secret' },
    }),
  ).toBe(
    "curl -X GET 'https://platform.test/api/user/api-keys' \\\n  -H \"Authorization: Bearer $PARLEY_API_KEY\" \\\n  -H 'Accept: application/json'",
  )
})

test('a shell passes exactly the request to curl', async () => {
  const request = buildRequest(tools.update, { id: 7, description: nasty })
  // The shell runs a function instead of curl, which prints its arguments.
  const script = `curl() { printf '%s\\0' "$@"; }\n${toCurl('https://platform.test', request)}`
  const { stdout } = await execa('sh', ['-c', script], { env: { PARLEY_API_KEY: '1|abc' } })
  expect(stdout.split('\0').slice(0, -1)).toEqual([
    '-X',
    'PUT',
    'https://platform.test/api/user/tools/7',
    '-H',
    'Authorization: Bearer 1|abc',
    '-H',
    'Accept: application/json',
    '-H',
    'Content-Type: application/json',
    '--data-raw',
    JSON.stringify({ description: nasty }),
  ])
})

test('the local platform has its token by name, and no URL without a server', () => {
  const command = toCurl(
    'embedded:',
    { method: 'GET', url: '/control/clock', headers: { 'parley-control': 'ct' } },
    'control',
  )
  expect(command).toBe(
    'curl -X GET "$PARLEY_BASE_URL"\'/control/clock\' \\\n  -H "Parley-Control: $PARLEY_CONTROL_TOKEN"',
  )
})

test('a request without a key has none in curl', () => {
  expect(toCurl('https://platform.test', { method: 'GET', url: '/x', headers: {} }, 'none')).toBe(
    "curl -X GET 'https://platform.test/x'",
  )
})
