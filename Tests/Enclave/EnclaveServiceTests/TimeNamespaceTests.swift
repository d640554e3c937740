import LatchkeyEnclaveStorage
import Testing

@Suite("A time namespace makes delays longer, never shorter")
struct TimeNamespaceTests {
    private static let first = "time:[4026531834]"
    private static let other = "time:[4026532179]"
    private static let offsets = "monotonic           0         0\nboottime      1000000         5\n"

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let link: String
        var childrensLink: String? = other
        var offsets: String? = TimeNamespaceTests.offsets
        let namespace: TimeNamespace
    }

    static let rows = [
        Row(testDescription: "the machine's", link: first, childrensLink: first, namespace: .initial),
        Row(testDescription: "the machine's, another for children", link: first, namespace: .initial),
        Row(testDescription: "shifted", link: other, namespace: .shifted(by: "1000000 5")),
        Row(
            testDescription: "of its own, without an offset", link: other,
            offsets: "monotonic           7         0\nboottime            0         0\n", namespace: .initial),
        // The file is then about the children's namespace.
        Row(testDescription: "another for children", link: other, childrensLink: "time:[1]", namespace: .unknown),
        Row(testDescription: "nothing known of the children's", link: other, childrensLink: nil, namespace: .unknown),
        Row(testDescription: "no offsets", link: other, offsets: nil, namespace: .unknown),
        Row(testDescription: "offsets that are cut", link: other, offsets: "boottime 1", namespace: .unknown),
        Row(testDescription: "offsets of other clocks", link: other, offsets: "monotonic 1 1\n", namespace: .unknown),
    ]

    @Test("is known by the kernel's files", arguments: rows)
    func namespace(row: Row) {
        #expect(
            TimeNamespace(link: row.link, childrensLink: row.childrensLink, offsets: row.offsets) == row.namespace)
    }
}
