import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hook, http, respond } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'
import { type Receiver, receiver } from '../../../support/servers/http-receiver.ts'

const secrets = ['echoed-token-123456', 'echoed field/654321', 'echoed-step-234567']

let server: Receiver
beforeAll(async () => {
  server = await receiver()
  server.answer(({ url, headers, body }) => ({ body: { url, headers, body } }))
})
afterAll(() => server.close())

/** An operator whose assistant "Front desk" has one tool. Its server repeats every request. */
async function withTool(endpoint: string): Promise<Operator> {
  const by = operator({ reachesLoopback: true })
  const fields = `--static-fields '[{key: password, value: ${secrets[1]}}]'`
  const headers = `--headers '[{name: Authorization, value: Bearer ${secrets[0]}}]'`
  const { id } = await by.json(
    `tools create --name find_patient --description "Find a patient." --method POST --endpoint ${endpoint} ${headers} ${fields}`,
  )
  await by.run(`assistants update "Front desk" --tool-ids ${id} --yes`)
  return by
}

/** Returns what each command printed, and every file that one of them wrote. */
async function everyOutput(by: Operator, ask: string): Promise<Record<string, string>> {
  const outputs: Record<string, string> = {}
  const run = async (line: string, options: object = {}) => {
    const { stdout, stderr, exitCode } = await by.run(line, options)
    expect([line, exitCode, stderr]).toEqual([line, 0, stderr])
    outputs[line] = stdout + stderr
    return stdout
  }
  await run('conversations chat --assistant "Front desk" --type test -o ndjson --transcript chat.ndjson', {
    stdin: ask,
  })
  await run('conversations chat --assistant "Front desk" --type test --transcript chat.txt', {
    stdin: ask,
    terminal: false,
  })
  await run(
    `replies generate --assistant "Front desk" --customer-identifier anna --message "${ask.trim()}" --yes --json`,
  )
  const [{ id }] = await by.json('conversations list')
  for (const more of ['', ' --json', ' -o yaml']) await run(`conversations get ${id}${more}`)
  await run('conversations export -o ndjson')
  await run('conversations search patient')
  await run(`conversations to-test ${id}`)
  for (const entry of readdirSync(by.cwd, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) outputs[entry.name] = readFileSync(join(entry.parentPath, entry.name), 'utf8')
  return outputs
}

const findShown = (outputs: Record<string, string>): string[] =>
  Object.entries(outputs).flatMap(([where, text]) =>
    secrets
      .filter((it) => [it, encodeURIComponent(it)].some((form) => text.includes(form)))
      .map((it) => `${it}: ${where}`),
  )

test('a secret that the server of a tool repeats is shown by no command', async () => {
  const by = await withTool(`${server.url}/find?api_key=${secrets[2]}`)
  const outputs = await everyOutput(by, 'Find the patient, please.\n')
  for (const form of ['', '--json']) outputs[form] = (await by.run(`tools test find_patient --yes ${form}`)).stdout
  expect(Object.values(outputs).filter((it) => it.includes('••• hidden')).length).toBeGreaterThan(8)
  expect(findShown(outputs)).toEqual([])
})

test('a secret of an automation that its response repeats is shown by no command', async () => {
  const by = operator({ reachesLoopback: true })
  writeFileSync(
    join(by.cwd, 'echo.json'),
    JSON.stringify({
      trigger: hook,
      steps: [
        http('GET', `${server.url}/echo`, { headers: { Authorization: `Bearer ${secrets[2]}` } }),
        respond({ said: "{{step_1['body']}}" }),
      ],
    }),
  )
  const { automation_id } = await by.json('automate create --name Echo --file echo.json --yes')
  rmSync(join(by.cwd, 'echo.json'))
  const endpoint = `https://parley.example/automate/api/v1/webhooks/${automation_id}/sync`
  const { id } = await by.json(
    `tools create --name find_patient --description "Find a patient." --method POST --endpoint ${endpoint}`,
  )
  await by.run(`assistants update "Front desk" --tool-ids ${id} --yes`)
  const outputs = await everyOutput(by, 'Find the patient, please.\n')
  expect(Object.values(outputs).filter((it) => it.includes('••• hidden')).length).toBeGreaterThan(6)
  expect(Object.values(outputs).join()).not.toContain(secrets[2])
})
