internal import Glibc
internal import LatchkeyPlainText
internal import LatchkeySecretMemory

@_implementationOnly import CLatchkeyCurl

/// A transfer of libcurl, with the connections that it keeps open. It has one user at a time.
///
/// Nothing of the environment counts: no proxy, no file of passwords, no redirection, no scheme but HTTP.
@safe final class CurlHandle: @unchecked Sendable {
    // Sendable because a pool gives it to one thread at a time.
    private let handle: UnsafeMutableRawPointer
    private let access: HTTPAccess
    private let errorText: UnsafeMutablePointer<CChar>
    /// The last transfer ended with a connection that broke.
    private var mayHaveLostReason = false

    /// The reason why the library cannot be loaded. Nil if it is.
    static let loadingFailure: String? = unsafe lk_curl_load().map { unsafe String(cString: $0) }

    /// Returns nil if there is no library, or no memory left for it.
    init?(_ access: HTTPAccess) {
        guard Self.loadingFailure == nil, let handle = unsafe lk_curl_make() else { return nil }
        unsafe self.handle = unsafe UnsafeMutableRawPointer(handle)
        self.access = access
        unsafe errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe lk_curl_free(handle)
        unsafe errorText.deallocate()
    }

    /// Sends a request, and waits for the whole answer.
    func answer(to request: HTTPRequest, _ times: HTTPTimes) throws(HTTPFailure) -> HTTPAnswer {
        do throws(HTTPFailure) {
            return try answer(to: request, times, showsReason: false)
        } catch {
            guard case .absent = error, request.server.isEncrypted, mayHaveLostReason else { throw error }
            return try answer(to: request, times, showsReason: true)
        }
    }

    /// - Parameter showsReason: true for a handshake of TLS 1.2. In that of 1.3 a client is done before the server has looked at its
    ///   certificate, and the refusal may be lost together with the connection.
    private func answer(
        to request: HTTPRequest, _ times: HTTPTimes, showsReason: Bool
    ) throws(HTTPFailure) -> HTTPAnswer {
        let receiver = Receiver(limit: request.answerLimit)
        let outcome = unsafe withTransfer(request, times, isStream: false, receiver) { handle in
            if showsReason {
                set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2) | Int(CURL_SSLVERSION_MAX_TLSv1_2))
            }
            return unsafe lk_curl_perform(handle)
        }
        mayHaveLostReason = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(outcome)
        guard !receiver.isTooLong else { throw .tooLong }
        guard outcome == CURLE_OK else { throw failure(outcome) }
        return HTTPAnswer(status: status, body: receiver.bytes)
    }

    var status: Int { unsafe lk_curl_status(handle) }

    /// True if the server of the last transfer was reached: it has at least a part of the request.
    var hasSent: Bool { unsafe lk_curl_sent_bytes(handle) > 0 }

    /// Calls `body` with the transfer prepared; secrets are lent to the library for this time.
    func withTransfer<R>(
        _ request: HTTPRequest, _ times: HTTPTimes, isStream: Bool, _ receiver: Receiver,
        _ body: (UnsafeMutableRawPointer) -> R
    ) -> R {
        // The settings of an earlier request go; connections stay.
        unsafe lk_curl_reset(handle)
        unsafe errorText[0] = 0
        setCommon(request, times)
        if !isStream { setTimes(times, request) }
        var lines: UnsafeMutablePointer<curl_slist>?
        // A server that may ask for the body first would cost a second.
        for line in ["Content-Type: application/json", "Expect:"] + request.headers {
            unsafe lines = unsafe lk_curl_append(lines, line)
        }
        defer { unsafe lk_curl_free_list(lines) }
        unsafe set(CURLOPT_HTTPHEADER, pointer: lines)
        return withExtendedLifetime(receiver) {
            unsafe lk_curl_set_receiver(
                handle, { unsafe Receiver.receive($0, $1, $2, $3) }, Unmanaged.passUnretained(receiver).toOpaque())
            return unsafe request.body.withBytes { bytes in
                unsafe set(CURLOPT_POSTFIELDS, pointer: bytes.baseAddress)
                return withAccess { unsafe body(handle) }
            }
        }
    }

    private func setCommon(_ request: HTTPRequest, _ times: HTTPTimes) {
        set(CURLOPT_URL, text: request.server.description + request.path)
        set(CURLOPT_PROTOCOLS_STR, text: request.server.isEncrypted ? "https" : "http")
        set(CURLOPT_PROXY, text: "")
        set(CURLOPT_POST, 1)
        unsafe lk_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, times.stallSeconds * 1_000)
        unsafe set(CURLOPT_ERRORBUFFER, pointer: errorText)
    }

    private func setTimes(_ times: HTTPTimes, _ request: HTTPRequest) {
        guard !request.hasShortAnswer else {
            // A large body may need more: 256 KiB each second are enough for one.
            set(CURLOPT_TIMEOUT_MS, times.stallSeconds * 1_000 + request.body.count / 256)
            return
        }
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        // The library begins to count after a second.
        set(CURLOPT_LOW_SPEED_TIME, max(1, times.stallSeconds - 1))
        set(CURLOPT_TIMEOUT_MS, times.callSeconds * 1_000)
    }

    private func withAccess<R>(_ body: () -> R) -> R {
        guard let authorities = access.authorities else { return withOwnCertificate(body) }
        return unsafe authorities.withUnsafeBytes { bytes in
            // The authorities of the system do not count beside it.
            set(CURLOPT_CAPATH, text: nil)
            set(CURLOPT_CAINFO, text: nil)
            unsafe lk_curl_set_bytes(handle, CURLOPT_CAINFO_BLOB, bytes.baseAddress, bytes.count)
            return withOwnCertificate(body)
        }
    }

    private func withOwnCertificate<R>(_ body: () -> R) -> R {
        guard let certificate = access.certificate, let key = access.key else { return body() }
        // A key with a password would be asked for on the terminal.
        set(CURLOPT_KEYPASSWD, text: "")
        set(CURLOPT_SSLCERTTYPE, text: "PEM")
        set(CURLOPT_SSLKEYTYPE, text: "PEM")
        return unsafe certificate.withUnsafeBytes { certificate in
            unsafe lk_curl_set_bytes(handle, CURLOPT_SSLCERT_BLOB, certificate.baseAddress, certificate.count)
            return unsafe key.withBytes { key in
                unsafe lk_curl_set_bytes(handle, CURLOPT_SSLKEY_BLOB, key.baseAddress, key.count)
                return body()
            }
        }
    }

    private func set(_ option: CURLoption, _ number: Int) {
        let outcome = unsafe lk_curl_set_number(handle, option, number)
        precondition(outcome == CURLE_OK, "libcurl 7.88 knows the option \(option.rawValue)")
    }

    private func set(_ option: CURLoption, text: String?) {
        let outcome = unsafe lk_curl_set_text(handle, option, text)
        precondition(outcome == CURLE_OK, "libcurl 7.88 knows the option \(option.rawValue)")
    }

    private func set(_ option: CURLoption, pointer: UnsafeRawPointer?) {
        let outcome = unsafe lk_curl_set_pointer(handle, option, pointer)
        precondition(outcome == CURLE_OK, "libcurl 7.88 knows the option \(option.rawValue)")
    }

    /// The failure of a transfer that ended with this outcome.
    func failure(_ outcome: CURLcode) -> HTTPFailure {
        var text = unsafe String(cString: errorText)
        if text.isEmpty { text = unsafe String(cString: lk_curl_text(outcome)) }
        switch outcome {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR: return .untrusted(text)
        case CURLE_SSL_CERTPROBLEM: return .credentials(text)
        case CURLE_OPERATION_TIMEDOUT where hasSent: return .silent(text)
        default:
            // A server that does not like the certificate of this device ends the handshake with an alert.
            let isRefused = text.contains("alert") && !text.contains("internal error")
            return isRefused ? .credentials(text) : .absent(text)
        }
    }

    /// The bytes of an answer, as they come.
    final class Receiver {
        private(set) var bytes: [UInt8] = []
        private(set) var isTooLong = false
        private let limit: Int

        init(limit: Int) {
            self.limit = limit
        }

        /// Takes the first line out, without its end. Nil if there is no whole one.
        func takeLine() -> [UInt8]? {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { bytes.removeFirst(end + 1) }
            return Array(bytes[..<end])
        }

        /// Takes what is behind the last line end. Nil if there is nothing.
        func takeRest() -> [UInt8]? {
            defer { bytes = [] }
            return bytes.isEmpty ? nil : bytes
        }

        fileprivate static func receive(
            _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
        ) -> Int {
            guard let start = unsafe start, let context = unsafe context else { return 0 }
            let receiver = unsafe Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
            let byteCount = size * count
            guard receiver.bytes.count + byteCount <= receiver.limit else {
                receiver.isTooLong = true
                return 0
            }
            unsafe receiver.bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: byteCount))
            return byteCount
        }
    }
}
