const fakeTimers = require('./fake-timers.cjs')

const now = new Date('1990-01-01T00:00:00Z')
const load = () => require('parley-cli/platform')
const restore = () => jest.useRealTimers()

test('the platform works with the fake timers of Jest', async () => {
  await fakeTimers({ load, install: () => jest.useFakeTimers({ now }), restore })
}, 600_000)

test('the platform works with the earlier fake timers of Jest', async () => {
  jest.resetModules()
  await fakeTimers({ load, install: () => jest.useFakeTimers({ legacyFakeTimers: true }), restore })
}, 600_000)
