import { portcullis } from 'portcullis-client'

const { PORTCULLIS_URL: url = 'http://127.0.0.1:8080' } = process.env
const { PUBLIC_API_KEY: publicApiKey = '', PRIVATE_API_KEY: privateApiKey = '' } = process.env

export const auth = portcullis({ url, publicApiKey, privateApiKey })

/** The port of the front end. */
export const port = Number(process.env.PORT ?? 3000)

/** The URL of the front end in the browser. */
const { SITE = `http://127.0.0.1:${port}` } = process.env

/** Where a provider sends the browser back to. */
export const redirectUriOf = (provider: string): string => `${SITE}/back/${provider}`
