import { examples, runExamples } from './run-examples.ts'

runExamples(examples, { AI_AGENT: '1' })
