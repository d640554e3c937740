import Glibc

/// Waits, without a limit of its own, until `condition` holds: for what another thread or process does by itself soon.
package func eventually(_ condition: () -> Bool) {
    while !condition() { usleep(1_000) }
}
