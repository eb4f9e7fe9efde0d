import { examples, runExamples } from './run-examples.ts'

runExamples(examples.filter((it) => !it.reads))
