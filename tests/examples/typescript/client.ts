import createClient, { type FetchResponse } from 'openapi-fetch'
import type { operations, paths } from './portcullis.d.ts'

const { PORTCULLIS_URL = 'http://127.0.0.1:8080', PUBLIC_API_KEY = '', PRIVATE_API_KEY = '' } = process.env
const { EMAIL = '', PASSWORD = '', NEW_PASSWORD = '' } = process.env

const api = createClient<paths>({ baseUrl: PORTCULLIS_URL })
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

/** The result of an operation: its data on success, otherwise the error of any operation. */
type Answer<Data> = { data?: Data; error?: Refusals[keyof Refusals]; response: Response }
type Refusals = {
  [Id in keyof operations]: FetchResponse<operations[Id], object, 'application/json'>['error']
}

/** The data of a successful answer. Otherwise prints the failing fields and exits with 1. */
const dataOf = <Data>({ data, error, response }: Answer<Data>): Data => {
  if (data !== undefined) return data
  const lines =
    error?.code === 422
      ? error.errors.map(({ code, param, message }) => `${param} (${code}): ${message}`)
      : [`${response.status}: ${error?.message ?? response.statusText}`]
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exit(1)
}

const keys = { public_api_key: PUBLIC_API_KEY, private_api_key: PRIVATE_API_KEY }
const application = dataOf(await api.POST('/api/v1/auth/application/token', { body: keys }))

const user = { body: { email: EMAIL, password: PASSWORD }, headers: bearer(application.token) }
const { token, expires_in } = dataOf(await api.POST('/api/v1/auth/user/token', user))
const headers = bearer(token)

const profile = dataOf(await api.GET('/api/v1/profile', { headers }))
process.stdout.write(`${profile.email} is signed in for ${expires_in} seconds.\n`)

const passwords = { old_password: PASSWORD, new_password: NEW_PASSWORD, new_password_check: NEW_PASSWORD }
const changed = dataOf(await api.POST('/api/v1/profile/change_password', { body: passwords, headers }))
process.stdout.write(`${changed.message}\n`)
