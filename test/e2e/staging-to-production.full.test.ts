import { injectedFaults, testFaults } from './support/staging-to-production.ts'

testFaults(injectedFaults)
