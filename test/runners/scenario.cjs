// What a test of a user does with the platform, the same in every test runner.
const assert = require('node:assert')

const trigger = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}
const code = (text) => ({
  type: 'CODE',
  settings: { sourceCode: { code: `export const code = async (inputs) => (${text})`, packageJson: '{}' }, input: {} },
})

/** Starts a platform, uses its HTTP API, its clock, its faults and its sandbox, and closes it. */
module.exports = async function scenario(startPlatform) {
  const platform = await startPlatform({ seed: 7, clock: '2027-03-01T09:00:00Z' })
  try {
    const ask = async (method, path, body, headers = {}) => {
      const answer = await fetch(`${platform.url}/api/user/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${platform.key}`,
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: await answer.json() }
    }
    assert.equal((await ask('GET', 'api-keys')).body.api_keys.length, 3)

    const { done } = await platform.clock.advance('31d')
    assert.ok(done.some((it) => it.kind === 'subscription'))

    await platform.faults.add({ endpoint: 'tools.list', status: 503, times: 1 })
    assert.equal((await ask('GET', 'tools')).status, 503)
    assert.equal((await ask('GET', 'tools')).status, 200)

    const tool = { name: 'find_patient', description: 'Find a patient.', endpoint: 'https://x.example', method: 'GET' }
    const once = { 'idempotency-key': 'the same' }
    const [first, second] = [await ask('POST', 'tools', tool, once), await ask('POST', 'tools', tool, once)]
    assert.equal(first.status, 201, JSON.stringify(first.body))
    assert.deepEqual(second.body, first.body)
    assert.equal((await ask('POST', 'tools', { ...tool, name: '' })).status, 422)
    assert.equal((await ask('GET', 'tools/999')).status, 404)

    const flow = { trigger, steps: [code('({ sum: 1 + 1 })')] }
    const created = await ask('POST', 'automate/flows', { name: 'Adding', flow })
    assert.equal(created.body.test.run_status, 'SUCCEEDED', JSON.stringify(created.body))
    const ran = await fetch(created.body.webhook_url, { method: 'POST', body: '{}' })
    assert.equal(ran.status, 200)

    const base = await ask('POST', 'knowledgebases', { name: 'Practice', description: 'All about the practice.' })
    const site = { name: 'Website', type: 'website', url: 'https://practice.example' }
    const stored = await ask('POST', `knowledgebases/${base.body.data.id}/documents`, site)
    assert.equal(stored.status, 201, JSON.stringify(stored.body))
    assert.ok((await platform.clock.advance('1h')).done.length > 0)

    await assert.rejects(platform.clock.advance('a while'), /failed with status 422/)
  } finally {
    await platform.close()
  }
}
