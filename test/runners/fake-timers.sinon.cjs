const assert = require('node:assert')
const sinon = require('sinon')
const fakeTimers = require('./fake-timers.cjs')

const now = Date.UTC(1990, 0, 1)
const load = () => require('parley-cli/platform')

it('the platform works with the fake timers of sinon', async () => {
  // Node's own network uses the other two.
  const toNotFake = ['nextTick', 'queueMicrotask']
  await fakeTimers({ load, install: () => sinon.useFakeTimers({ now, toNotFake }), restore: () => sinon.restore() })
}).timeout(600_000)

it('a started platform is controlled while sinon stops also the network of Node', async () => {
  const platform = await load().startPlatform({ seed: 7 })
  sinon.useFakeTimers({ now })
  try {
    assert.ok((await platform.clock.advance('31d')).done.length > 0)
    await platform.faults.add({ endpoint: 'tools.list', status: 503, times: 1 })
    await platform.reset()
    assert.deepEqual(await platform.faults.list(), [])
  } finally {
    sinon.restore()
  }
  assert.equal((await platform.client.keys.list({})).api_keys.length, 3)
  await platform.close()
}).timeout(600_000)
