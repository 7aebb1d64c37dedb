export { Leases } from './Leases'
