import LatchkeyPlainText
import Testing

@Suite("The address of an etcd store")
struct EtcdAddressTests {
    @Test(
        "is written in one way",
        arguments: [
            ("etcd:https://a", "etcd:https://a:2379"),
            ("etcd:https://A.example:1,https://b", "etcd:https://a.example:1,https://b:2379"),
            ("etcd:http://127.0.0.1", "etcd:http://127.0.0.1:2379"),
            ("etcd:http://localhost:80", "etcd:http://localhost:80"),
            ("etcd:http://[::1]:80", "etcd:http://[::1]:80"),
            ("etcd:https://[2001:db8::1]", "etcd:https://[2001:db8::1]:2379"),
            (
                "etcd:https://a;user=anna;password-file=/p;ca=/c d",
                "etcd:https://a:2379;ca=/c d;user=anna;password-file=/p"
            ),
            ("etcd:https://a;key=/k;certificate=/c=1", "etcd:https://a:2379;certificate=/c=1;key=/k"),
        ])
    func written(_ text: String, _ canonical: String) throws {
        let address = try EtcdAddress(text)
        #expect(address.description == canonical)
        #expect(try EtcdAddress(canonical) == address)
        #expect(canonical.hasPrefix(address.serverText))
        #expect(address.files.allSatisfy { $0.hasPrefix("/") })
    }

    @Test(
        "names servers and files, and nothing else",
        arguments: [
            "", "etcd:", "folder:/a", "etcd:a", "etcd:ftp://a", "etcd:https://", "etcd:https://a/", "etcd:https://a/x",
            "etcd:https://u:p@a", "etcd:https://a:", "etcd:https://a:0", "etcd:https://a:65536", "etcd:https://a:1x",
            "etcd:https://a:+1", "etcd:https://a b", "etcd:https://a\n", "etcd:https://-a", "etcd:https://a?x",
            "etcd:https://a#x",
            "etcd:https://ä", "etcd:https://[::1", "etcd:https://[]", "etcd:https://[a]", "etcd:https://a,",
            "etcd:https://a,https://a:2379",
            "etcd:http://a", "etcd:http://10.0.0.1", "etcd:http://127.0.0.1.example", "etcd:http://127.1",
            "etcd:http://[::2]",
            "etcd:https://a;", "etcd:https://a;x=1", "etcd:https://a;ca", "etcd:https://a;ca=",
            "etcd:https://a;ca=relative",
            "etcd:https://a;ca=/a;ca=/b", "etcd:https://a;ca=/a\nb", "etcd:https://a;key=/k",
            "etcd:https://a;certificate=/c",
            "etcd:https://a;user=x", "etcd:https://a;password-file=/p",
        ])
    func refused(_ text: String) {
        #expect(throws: EtcdAddress.Failure.self) { try EtcdAddress(text) }
    }

    @Test("has a limited number of servers")
    func limit() {
        func address(_ count: Int) -> String {
            "etcd:" + (0..<count).map { "https://h\($0)" }.joined(separator: ",")
        }
        #expect(throws: Never.self) { try EtcdAddress(address(EtcdAddress.serverLimit)) }
        #expect(throws: EtcdAddress.Failure.tooManyServers) { try EtcdAddress(address(EtcdAddress.serverLimit + 1)) }
    }
}
