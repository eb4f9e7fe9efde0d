// What a test of a user does with the platform while fake timers are installed, the same for every library of them.
const assert = require('node:assert')
const { createServer } = require('node:http')
const scenario = require('./scenario.cjs')

/** `install` installs fake timers, and `restore` removes them. `load` returns the exports of `parley-cli/platform`. */
module.exports = async function fakeTimers({ load, install, restore }) {
  const timed = async (body) => {
    await install()
    try {
      return await body()
    } finally {
      await restore()
    }
  }

  // Installed before the package is loaded, in a file that has not loaded it.
  const { startPlatform } = await timed(async () => {
    const loaded = await load()
    await scenario(loaded.startPlatform)
    return loaded
  })

  // Installed after the platform was started.
  const platform = await startPlatform({ seed: 7 })
  await timed(() => usePlatform(platform))
  // The platform works with real timers, and with fake ones that are installed again.
  await usePlatform(platform)
  await timed(() => usePlatform(platform))
  await timed(() => platform.close())
}

async function usePlatform(platform) {
  await platform.reset()
  const before = await platform.clock.now()
  assert.ok(!before.frozen)
  assert.ok(Math.abs(Date.parse(before.now) - Date.UTC(1990, 0, 1)) > 1e12, `the clock of the test: ${before.now}`)

  // The client waits before it repeats the request.
  await platform.faults.add({ endpoint: 'tools.list', status: 503, times: 1 })
  assert.ok((await platform.client.tools.list()).length > 0)
  await platform.faults.add({ endpoint: 'keys.list', latency_ms: 20, times: 1 })
  assert.equal((await platform.client.keys.list({})).api_keys.length, 3)

  // A webhook is delivered at the second attempt.
  const arrived = []
  const receiver = createServer((request, response) => {
    arrived.push(request.url)
    response.writeHead(arrived.length === 1 ? 503 : 200).end()
  }).listen(0, '127.0.0.1')
  await new Promise((done) => receiver.once('listening', done))
  const webhook_url = `http://127.0.0.1:${receiver.address().port}/hooks`
  await platform.client.assistants.enablePostCallWebhook({ assistant_id: 1, webhook_url })
  await platform.control('POST', 'simulate/call', { assistant: '1', phone_number: '+14155550142', duration: 60 })
  await platform.clock.advance('10m')
  await platform.clock.advance('1d')
  assert.deepEqual(arrived, ['/hooks', '/hooks'])
  receiver.close()
  receiver.closeAllConnections()

  const writes = Array.from({ length: 20 }, (_, n) => platform.client.keys.create({ name: `key ${n}` }))
  assert.equal((await Promise.all(writes)).length, 20)
  await platform.clock.resume()
}
