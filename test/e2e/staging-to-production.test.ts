import { injectedFaults, testFaults } from './support/staging-to-production.ts'

// One of twelve faults. staging-to-production.full.test.ts has all of them.

testFaults(injectedFaults.slice(0, 1))
