import { test, vi } from 'vitest'
import fakeTimers from './fake-timers.cjs'

test('the platform works with the fake timers of vitest', async () => {
  const now = new Date('1990-01-01T00:00:00Z')
  await fakeTimers({
    load: () => import('parley-cli/platform'),
    install: () => vi.useFakeTimers({ now }),
    restore: () => vi.useRealTimers(),
  })
}, 600_000)
