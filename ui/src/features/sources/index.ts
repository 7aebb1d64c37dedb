export { Sources } from './Sources'
