import { type ClientSettings, type Portcullis, portcullis } from '../../adapters/client/client.ts'
import { SECRET } from './calls.ts'
import { type OwnTime, ownTime } from './own-time.ts'

/** A client of this server with its own time, which skips pauses. */
export const timedClient = (
  { url }: Readonly<{ url: string }>,
  settings: Partial<ClientSettings> = {},
  time = ownTime(),
): Readonly<{ auth: Portcullis; time: OwnTime }> => {
  const { publicApiKey, privateApiKey } = SECRET
  return { auth: portcullis({ url, publicApiKey, privateApiKey, ...settings }, time), time }
}
