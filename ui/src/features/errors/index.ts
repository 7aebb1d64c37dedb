export { FullTrouble, Trouble } from './Trouble'
