import { testEveryForm } from './every-form.ts'

testEveryForm(2, 3)
