import { mock, test } from 'node:test'
import fakeTimers from './fake-timers.cjs'

test('the platform works with the fake timers of the test runner of Node', async () => {
  await fakeTimers({
    load: () => import('parley-cli/platform'),
    install: () =>
      mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'], now: Date.UTC(1990, 0, 1) }),
    restore: () => mock.timers.reset(),
  })
})
